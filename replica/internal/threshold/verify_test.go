package threshold_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica/internal/threshold"
	"github.com/canisterd/canisterd/test/thresholdtest"
)

func bytesOf(n int) *rapid.Generator[[]byte] { return rapid.SliceOfN(rapid.Byte(), 0, n) }

func paths() *rapid.Generator[[][]byte] { return rapid.SliceOfN(bytesOf(40), 0, 4) }

var ring = threshold.NewRing([32]byte{7})

func TestSignaturesByECDSAVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ring.Secp256k1("ecdsa")
		path, hash := paths().Draw(t, "path"), [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash"))
		public, _ := key.Public(path)
		signature := key.SignECDSA(path, hash)
		if err := thresholdtest.ECDSA(public[:], hash[:], signature[:]); err != nil {
			t.Fatal(err)
		}
		hash[3]++
		if thresholdtest.ECDSA(public[:], hash[:], signature[:]) == nil {
			t.Fatal("it verifies for another hash")
		}
	})
}

func TestSignaturesOverSecp256r1Verify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ring.Secp256r1("ecdsa")
		path, hash := paths().Draw(t, "path"), [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash"))
		public, _ := key.Public(path)
		signature := key.SignECDSA(path, hash)
		if err := thresholdtest.ECDSAOverSecp256r1(public[:], hash[:], signature[:]); err != nil {
			t.Fatal(err)
		}
		hash[3]++
		if thresholdtest.ECDSAOverSecp256r1(public[:], hash[:], signature[:]) == nil {
			t.Fatal("it verifies for another hash")
		}
	})
}

func TestSignaturesByBIP340AndBIP341Verify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ring.Secp256k1("bip340")
		path, message := paths().Draw(t, "path"), bytesOf(200).Draw(t, "message")
		public, _ := key.Public(path)
		signature := key.SignBIP340(path, message)
		if err := thresholdtest.BIP340(public[1:], message, signature[:]); err != nil {
			t.Fatal(err)
		}
		root := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "root")
		if rapid.Bool().Draw(t, "no scripts") {
			root = nil
		}
		tweaked := key.SignBIP341(path, message, root)
		output, err := thresholdtest.OutputKey(public[1:], root)
		if err != nil {
			t.Fatal(err)
		}
		if err := thresholdtest.BIP340(output, message, tweaked[:]); err != nil {
			t.Fatal(err)
		}
		if thresholdtest.BIP340(public[1:], message, tweaked[:]) == nil || thresholdtest.BIP340(public[1:], append(message, 0), signature[:]) == nil {
			t.Fatal("it verifies for another key or message")
		}
	})
}

func TestSignaturesByEd25519Verify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := ring.Ed25519("ed25519")
		path, message := paths().Draw(t, "path"), bytesOf(200).Draw(t, "message")
		public, _ := key.Public(path)
		signature := key.Sign(path, message)
		if err := thresholdtest.Ed25519(public[:], message, signature[:]); err != nil {
			t.Fatal(err)
		}
		if thresholdtest.Ed25519(public[:], append(message, 0), signature[:]) == nil {
			t.Fatal("it verifies for another message")
		}
	})
}

func TestEncryptedKeysAreValidAndDecryptToAVerifiableKey(t *testing.T) {
	key := ring.VetKD("vetkd")
	secret := big.NewInt(1234567)
	transport, err := threshold.ParseTransportKey(thresholdtest.TransportKey(secret))
	if err != nil {
		t.Fatal(err)
	}
	var seen [][]byte
	for _, v := range []struct{ canister, context, input string }{
		{"canister", "", ""}, {"canister", "", "input"}, {"canister", "context", "input"}, {"another", "context", "input"},
	} {
		public := key.Public([]byte(v.canister), []byte(v.context))
		encrypted := key.Encrypted([]byte(v.canister), []byte(v.context), []byte(v.input), transport)
		got, err := thresholdtest.VetKey(public[:], []byte(v.input), encrypted[:], secret)
		if err != nil {
			t.Errorf("%+v: %v", v, err)
		}
		if slices.ContainsFunc(seen, func(other []byte) bool { return bytes.Equal(got, other) }) {
			t.Errorf("%+v gives the key of something else", v)
		}
		seen = append(seen, got)
		if _, err := thresholdtest.VetKey(public[:], []byte("not "+v.input), encrypted[:], secret); err == nil {
			t.Errorf("%+v is valid for another input", v)
		}
		if _, err := thresholdtest.VetKey(public[:], []byte(v.input), encrypted[:], big.NewInt(99)); err == nil {
			t.Errorf("%+v is valid for another transport key", v)
		}
	}
}

// An encrypted key that DFINITY published with its vetkeys library shows that the
// verifier checks what it should.
func TestTheVerifierAcceptsAPublishedEncryptedKey(t *testing.T) {
	little := fromHex(t, "763e63464c55014a26ac6825616867185cc7204283ca46bd34c1a1446e737b16")
	slices.Reverse(little)
	secret := new(big.Int).SetBytes(little)
	public := fromHex(t, "972c4c6cc184b56121a1d27ef1ca3a2334d1a51be93573bd18e168f78f8fe15ce44fb029ffe8e9c3ee6bea2660f4f35e0774a35a80d6236c050fd8f831475b5e145116d3e83d26c533545f64b08464e4bcc755f990a381efa89804212d4eef5f")
	encrypted := fromHex(t, "b1a13757eaae15a3c8884fc1a3453f8a29b88984418e65f1bd21042ce1d6809b2f8a49f7326c1327f2a3921e8ff1d6c3adde2a801f1f88de98ccb40c62e366a279e7aec5875a0ce2f2a9f3e109d9cb193f0197eadb2c5f5568ee4d6a87e115910662e01e604087246be8b081fc6b8a06b4b0100ed1935d8c8d18d9f70d61718c5dba23a641487e72b3b25884eeede8feb3c71599bfbcebe60d29408795c85b4bdf19588c034d898e7fc513be8dbd04cac702a1672f5625f5833d063b05df7503")
	if got := hex.EncodeToString(thresholdtest.TransportKey(secret)); got != "911969d56f42875d37a92d7eaa5d43293eff9f9a20ba4c60523e70a695eaeadeb721659b52a49d74e67841ad19033a12" {
		t.Errorf("the transport key is %s", got)
	}
	key, err := thresholdtest.VetKey(public, []byte("message"), encrypted, secret)
	if got := hex.EncodeToString(key); err != nil || got != "987db5406ce297e729c8564a106dc896943b00216a095fe9c5d32a16a330c02eb80e6f468ede83cde5462b5145b58f65" {
		t.Errorf("the key is %s (%v)", got, err)
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheSameSeedGivesTheSameKeysAndSignatures(t *testing.T) {
	sign := func(seed byte, name string) []byte {
		ring := threshold.NewRing([32]byte{seed})
		a := ring.Secp256k1(name).SignECDSA(nil, [32]byte{1})
		b := ring.Secp256k1(name).SignBIP340(nil, nil)
		c := ring.Ed25519(name).Sign(nil, nil)
		d := ring.Secp256r1(name).SignECDSA(nil, [32]byte{1})
		e := ring.VetKD(name).Public(nil, nil)
		return slices.Concat(a[:], b[:], c[:], d[:], e[:])
	}
	first := sign(1, "key_1")
	if !bytes.Equal(first, sign(1, "key_1")) {
		t.Error("they differ")
	}
	for _, other := range [][]byte{sign(2, "key_1"), sign(1, "test_key_1")} {
		for i := range 4 {
			if bytes.Equal(first[64*i:64*i+64], other[64*i:64*i+64]) {
				t.Error("another seed or name gives the same")
			}
		}
		if bytes.Equal(first[256:], other[256:]) {
			t.Error("another seed or name gives the same key for vetKD")
		}
	}
}

// FuzzTransportKey looks for invalid bytes that are taken for a transport key.
func FuzzTransportKey(f *testing.F) {
	f.Add(thresholdtest.TransportKey(big.NewInt(5)))
	f.Add(append([]byte{0xc0}, make([]byte, 47)...))
	f.Add(make([]byte, 48))
	f.Add(make([]byte, 96))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		transport, err := threshold.ParseTransportKey(raw)
		if (err == nil) != (transport != nil) || err == nil && len(raw) != threshold.TransportKeyBytes {
			t.Fatalf("%x: %v, %v", raw, transport, err)
		}
		if err == nil {
			ring.VetKD("vetkd").Encrypted(nil, nil, raw, transport)
		}
	})
}

func BenchmarkALongPath(b *testing.B) {
	path := slices.Repeat([][]byte{[]byte("index")}, 256)
	b.Run("secp256k1", func(b *testing.B) {
		for b.Loop() {
			ring.Secp256k1("ecdsa").Public(path)
		}
	})
	b.Run("ed25519", func(b *testing.B) {
		for b.Loop() {
			ring.Ed25519("ed25519").Public(path)
		}
	})
}
