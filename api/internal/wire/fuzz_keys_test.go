package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/internal/certify"
)

// FuzzCOSE reads COSE keys: what is taken is a map to the library too, and a key
// that is taken is one of the three.
func FuzzCOSE(f *testing.F) {
	for _, d := range devices(f) {
		f.Add(d.cose)
	}
	f.Add(pairsOf(1, nat(2), 3, number(-7), -1, nat(1), 4, text("sign")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		key, err := parseCOSE(raw)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "Malformed ") && !strings.HasPrefix(err.Error(), "Algorithm ") {
				t.Fatalf("%x: %v", raw, err)
			}
			return
		}
		var library map[any]any
		if err := cbor.Unmarshal(raw, &library); err != nil {
			t.Fatalf("%x: we take it, the library says %v", raw, err)
		}
		if !key.webAuthn || (key.scheme == schemeRSA) != (key.rsa != nil) {
			t.Fatalf("%x: %+v", raw, key)
		}
	})
}

// FuzzWebAuthnSignature reads what a device signed: no bytes but the right ones
// are a signature.
func FuzzWebAuthnSignature(f *testing.F) {
	d := ed25519Device(f)
	message := []byte("message")
	f.Add(d.assertion(message))
	f.Add(hexBytes(yubiSig))
	f.Add(hexBytes(helloSig))
	key, err := parseCOSE(d.cose)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sig []byte) {
		err := verifyWebAuthn(key, []byte("another message"), sig)
		if err == nil {
			t.Fatalf("%x is a signature of another message", sig)
		}
		if len(err.Error()) > 1<<15 {
			t.Fatalf("a text of %d bytes", len(err.Error()))
		}
	})
}

// FuzzClientData holds our strict reader against the standard library's.
func FuzzClientData(f *testing.F) {
	f.Add([]byte(clientData([]byte("x"))))
	f.Add([]byte(`{"type":"","origin":"","challenge":"","challenge":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := clientChallenge(data)
		if err != nil {
			return
		}
		var library struct{ Challenge *string }
		if err := json.Unmarshal(data, &library); err != nil {
			t.Fatalf("%q: we take it, the library says %v", data, err)
		}
		if library.Challenge == nil {
			t.Fatalf("%q: we read the challenge %q, the library none", data, got)
		}
	})
}

// FuzzCanisterSignature reads canister signatures: what is taken is written back
// as something that reads the same, and no bytes but the right ones hold.
func FuzzCanisterSignature(f *testing.F) {
	a := newAuthority()
	message := []byte("message")
	for _, key := range []*certify.SubnetKey{a.root, a.subnet} {
		f.Add(a.sign(key, "seed", message))
	}
	trust := a.trust(f)
	f.Fuzz(func(t *testing.T, sig []byte) {
		if err := trust.verify(canisterKey(hello, "seed"), []byte("another message"), sig); err == nil {
			t.Fatalf("%x is a signature of another message", sig)
		}
		read, err := certify.DecodeCanisterSignature(sig)
		if err != nil {
			return
		}
		again, err := certify.DecodeCanisterSignature(read.Append(nil))
		if err != nil || !bytes.Equal(again.Certificate, read.Certificate) || again.Tree.Root() != read.Tree.Root() {
			t.Fatalf("%x: read, written and read: %v", sig, err)
		}
	})
}
