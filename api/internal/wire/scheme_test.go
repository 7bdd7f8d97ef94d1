package wire

import (
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	agent "github.com/aviate-labs/agent-go"
	"github.com/aviate-labs/agent-go/identity"
	agentprincipal "github.com/aviate-labs/agent-go/principal"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// agentIdentities has one random identity of agent-go for each of its schemes.
func agentIdentities(t testing.TB) map[scheme]identity.Identity {
	t.Helper()
	ed, err := identity.NewRandomEd25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	p256, err := identity.NewRandomPrime256v1Identity()
	if err != nil {
		t.Fatal(err)
	}
	k1, err := identity.NewRandomSecp256k1Identity()
	if err != nil {
		t.Fatal(err)
	}
	return map[scheme]identity.Identity{schemeEd25519: ed, schemeP256: p256, schemeSecp256k1: k1}
}

// agentBody is the body agent-go posts for a request by this identity.
func agentBody(t testing.TB, req agent.Request, id identity.Identity) []byte {
	t.Helper()
	req.Sender, req.IngressExpiry = id.Sender(), instant
	sig, err := agent.NewRequestID(req).Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	body, err := cbor.Marshal(agent.Envelope{Content: req, SenderPubKey: id.PublicKey(), SenderSig: sig})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func agentCall() agent.Request {
	return agent.Request{
		Type:       agent.RequestTypeCall,
		CanisterID: agentprincipal.Principal{Raw: hello.Bytes()},
		MethodName: "greet",
		Arguments:  []byte("DIDL\x00\x00"),
	}
}

func TestEnvelopesSignedByAgentGoAreAuthentic(t *testing.T) {
	for s, id := range agentIdentities(t) {
		for range 20 {
			call, err := DecodeCall(agentBody(t, agentCall(), id))
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			claims, err := Authenticate(call, instant, nil)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			if want := principal.MustFromBytes(id.Sender().Raw); claims.Sender != want {
				t.Errorf("%s: sender %s, want %s", s, claims.Sender, want)
			}
		}
	}
}

func TestDelegationsBetweenSchemesHold(t *testing.T) {
	ids := agentIdentities(t)
	for from, a := range ids {
		for to, b := range ids {
			if from == to {
				continue
			}
			id, err := NewIdentity(a.PublicKey(), a.Sign).Delegate(NewIdentity(b.PublicKey(), b.Sign), DelegationTerms{Expiration: instant})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Authenticate(decodedCall(t, id), instant, nil); err != nil {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
}

func TestSignaturesOffByOneBitAreRefusedInTheReplicasWords(t *testing.T) {
	for s, id := range agentIdentities(t) {
		call, err := DecodeCall(agentBody(t, agentCall(), id))
		if err != nil {
			t.Fatal(err)
		}
		call.Auth.Signature[40] ^= 1
		_, err = Authenticate(call, instant, nil)
		wantRefusal(t, err, refusal.Invalid, "Invalid signature: Invalid basic signature: "+s.String()+" signature could not be verified: public key ")
		call.Auth.Signature = call.Auth.Signature[:63]
		_, err = Authenticate(call, instant, nil)
		wantRefusal(t, err, refusal.Invalid, "Invalid signature: Invalid basic signature: Malformed "+s.String()+" signature: [")
	}
}

func TestBothFormsOfAnECDSASignatureAreTaken(t *testing.T) {
	ids := agentIdentities(t)
	for s, order := range map[scheme]*big.Int{
		schemeP256:      elliptic.P256().Params().N,
		schemeSecp256k1: secp256k1.Params().N,
	} {
		call, err := DecodeCall(agentBody(t, agentCall(), ids[s]))
		if err != nil {
			t.Fatal(err)
		}
		half := call.Auth.Signature[32:]
		low := new(big.Int).SetBytes(half)
		new(big.Int).Sub(order, low).FillBytes(half)
		if _, err := Authenticate(call, instant, nil); err != nil {
			t.Errorf("%s with -s for s: %v", s, err)
		}
		order.FillBytes(half)
		_, err = Authenticate(call, instant, nil)
		wantRefusal(t, err, refusal.Invalid, "verification failed")
		copy(call.Auth.Signature, make([]byte, 64))
		_, err = Authenticate(call, instant, nil)
		wantRefusal(t, err, refusal.Invalid, "verification failed")
	}
}

// smallOrderPoints are encodings of the eight points of small order, the last
// ones not canonical (ZIP 215's test vectors are made of these).
var smallOrderPoints = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"0100000000000000000000000000000000000000000000000000000000000080",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
}

// groupOrder is the order of Ed25519's group: the smallest s that is not reduced.
const groupOrder = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"

func TestEd25519FollowsZIP215WhereTheStandardLibraryIsStricter(t *testing.T) {
	stricter := 0
	for _, a := range smallOrderPoints {
		for _, r := range smallOrderPoints {
			key, _ := hex.DecodeString(a)
			sig, _ := hex.DecodeString(r + strings.Repeat("00", 32))
			der := append([]byte(ed25519Prefix), key...)
			if err := noTrust.verify(der, []byte("Zcash"), sig); err != nil {
				t.Errorf("key %s, R %s: %v", a, r, err)
			}
			if !ed25519.Verify(key, []byte("Zcash"), sig) {
				stricter++
			}
			if err := noTrust.verify(der, []byte("Zcash"), append(sig[:32:32], hexBytes(groupOrder)...)); err == nil {
				t.Errorf("key %s, R %s: s that is not reduced is taken", a, r)
			}
		}
	}
	if stricter == 0 {
		t.Error("the standard library takes all of them: this test shows nothing")
	}
}

func hexBytes(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// canisterKey is the DER form of the key of a canister's signatures.
func canisterKey(canister principal.Principal, seed string) []byte {
	raw := append([]byte{byte(canister.Len())}, canister.Bytes()...)
	raw = append(raw, seed...)
	const oid = "300c060a2b0601040183b8430102"
	inner := append(hexBytes(oid), 0x03, byte(len(raw)+1), 0)
	return append([]byte{0x30, byte(len(inner) + len(raw))}, append(inner, raw...)...)
}

// noTrust has no root key: what it trusts is checked by itself.
var noTrust *Trust

func TestKeysThatAreNotTakenAreNamed(t *testing.T) {
	ed := person(t, "alice").key
	p256 := agentIdentities(t)[schemeP256].PublicKey()
	k1 := agentIdentities(t)[schemeSecp256k1].PublicKey()
	zeroPoint := append([]byte(p256Prefix), make([]byte, 65)...)
	for _, c := range []struct {
		name string
		der  []byte
		text string
	}{
		{"nothing", nil, "Invalid public key: Malformed Unspecified public key: , error: Error in DER encoding: "},
		{"a raw key", ed[12:], "Invalid public key: Malformed Unspecified public key: "},
		{"bytes after the key", append(append([]byte{}, ed...), 0), "1 bytes after the end of the key"},
		{"Ed25519 with parameters", hexBytes("302c300706032b65700500032100" + hex.EncodeToString(ed[12:])), "Malformed Ed25519 public key: "},
		{"compressed P-256", hexBytes("3039301306072a8648ce3d020106082a8648ce3d030107032200" + "02" + hex.EncodeToString(p256[27:59])), "Malformed EcdsaP256 public key: "},
		{"compressed secp256k1", hexBytes("3036301006072a8648ce3d020106052b8104000a032200" + "02" + hex.EncodeToString(k1[24:56])), "Malformed EcdsaSecp256k1 public key: "},
		{"P-256, a point off the curve", zeroPoint, "Malformed EcdsaP256 public key: "},
		{"secp256k1, a hybrid point", append(append([]byte(secp256k1Prefix), 6), k1[24:]...), "Malformed EcdsaSecp256k1 public key: "},
		{"RSA", hexBytes("3012300d06092a864886f70d0101010500030100"), "Algorithm RsaSha256 not supported: RSA signatures are not allowed except in webauthn context"},
		{"WebAuthn, no key", hexBytes("3012300c060a2b0601040183b8430101030200a0"), "Invalid public key: Malformed Unspecified public key: a0, error: Failed to parse COSE public key"},
		{"WebAuthn with parameters", hexBytes("3014300e060a2b0601040183b84301010500030200a0"), "Invalid public key: Malformed Unspecified public key: 3014300e060a2b0601040183b84301010500030200a0, error: Unsupported or unparsable public key"},
		{"a canister", canisterKey(hello, "seed"), "Invalid canister signature: Malformed IcCanisterSignature signature: [0000"},
		{"a canister's key of nothing", hexBytes("3011300c060a2b0601040183b8430102030100"), "Invalid canister signature: Malformed IcCanisterSignature public key: , error: MissingCanisterIdLengthByte"},
		{"a canister's key cut off", hexBytes("3012300c060a2b0601040183b8430102030200" + "0a"), "Invalid canister signature: Malformed IcCanisterSignature public key: 0a, error: Malformed"},
		{"a canister with parameters", hexBytes("3014300e060a2b0601040183b843010205000302000a"), "Unsupported or unparsable public key"},
		{"an unknown algorithm", hexBytes("300a300506032b656e030100"), "Unsupported or unparsable public key"},
	} {
		err := noTrust.verify(c.der, []byte("m"), make([]byte, 64))
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v\nwant …%s…", c.name, err, c.text)
		}
	}
}
