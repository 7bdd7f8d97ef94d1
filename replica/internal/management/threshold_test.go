package management

import (
	"bytes"
	"encoding/binary"
	integers "math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
	"github.com/canisterd/canisterd/test/thresholdtest"
)

func secp256k1(name string) (id ecdsaKeyID) {
	id.Name, id.Curve.Secp256k1 = name, null
	return id
}

func secp256r1(name string) (id ecdsaKeyID) {
	id.Name, id.Curve.Secp256r1 = name, null
	return id
}

func bip340(name string) (id schnorrKeyID) {
	id.Name, id.Algorithm.BIP340 = name, null
	return id
}

func ed25519(name string) (id schnorrKeyID) {
	id.Name, id.Algorithm.Ed25519 = name, null
	return id
}

func bls(name string) (id vetKDKeyID) {
	id.Name, id.Curve.BLS12381G2 = name, null
	return id
}

var transportSecret = integers.NewInt(31337)

func keyArgFor(method string) any {
	switch method {
	case "ecdsa_public_key":
		return ecdsaPublicKeyArg{Key: secp256k1("key_1")}
	case "sign_with_ecdsa":
		return signWithECDSAArg{Hash: make([]byte, MessageHashBytes), Key: secp256k1("key_1")}
	case "schnorr_public_key":
		return schnorrPublicKeyArg{Key: ed25519("key_1")}
	case "sign_with_schnorr":
		return signWithSchnorrArg{Key: bip340("key_1")}
	case "vetkd_public_key":
		return vetKDPublicKeyArg{Key: bls("key_1")}
	}
	return vetKDDeriveKeyArg{Transport: thresholdtest.TransportKey(transportSecret), Key: bls("key_1")}
}

// holding makes the rig's subnet hold a key for every scheme, all called key_1.
func (r *rig) holding() *rig {
	r.st.Signing.Ring = threshold.NewRing([32]byte{7})
	r.st.Signing.Names = []string{"key_1"}
	return r
}

const signatureFee = 10_000_000_000

// signed asks for a signature, pays for it, and reads the answer of the next round.
func (r *rig) signed(method string, arg, result any) {
	r.Helper()
	a := r.run(r.byCanister(r.target, signatureFee+5, method, arg))
	if a.When != state.Deferred || len(r.st.Signing.Pending) != 1 {
		r.Fatalf("%s: %+v, %d wait", method, a, len(r.st.Signing.Pending))
	}
	p := &r.st.Signing.Pending[0]
	r.st.Signing.Pending = nil
	if p.Ticket.Refund != cycles.Of(5) {
		r.Errorf("%s gives %s back", method, p.Ticket.Refund)
	}
	r.read(r.facade.Sign(r.st, p), result)
}

func TestSignaturesVerifyUnderThePublicKeyOfTheCaller(t *testing.T) {
	r := newRig(t).holding()
	caller := r.target.ID()
	path := [][]byte{{}, []byte("path"), make([]byte, 300)}
	var public publicKeyResult
	var signature signatureResult
	hash := bytes.Repeat([]byte{3}, MessageHashBytes)

	r.replied(r.byCanister(r.target, 0, "ecdsa_public_key", ecdsaPublicKeyArg{Path: path, Key: secp256k1("key_1")}), &public)
	r.signed("sign_with_ecdsa", signWithECDSAArg{Hash: hash, Path: path, Key: secp256k1("key_1")}, &signature)
	if err := thresholdtest.ECDSA(public.Key, hash, signature.Signature); err != nil || len(public.Chain) != threshold.ChainCodeBytes {
		t.Errorf("ECDSA: %v", err)
	}

	r.replied(r.byCanister(r.target, 0, "ecdsa_public_key", ecdsaPublicKeyArg{Path: path, Key: secp256r1("key_1")}), &public)
	r.signed("sign_with_ecdsa", signWithECDSAArg{Hash: hash, Path: path, Key: secp256r1("key_1")}, &signature)
	if err := thresholdtest.ECDSAOverSecp256r1(public.Key, hash, signature.Signature); err != nil || len(public.Chain) != threshold.ChainCodeBytes {
		t.Errorf("ECDSA over secp256r1: %v", err)
	}

	r.replied(r.byCanister(r.target, 0, "schnorr_public_key", schnorrPublicKeyArg{Path: path, Key: ed25519("key_1")}), &public)
	r.signed("sign_with_schnorr", signWithSchnorrArg{Message: hash, Path: path, Key: ed25519("key_1")}, &signature)
	if err := thresholdtest.Ed25519(public.Key, hash, signature.Signature); err != nil {
		t.Errorf("Ed25519: %v", err)
	}

	r.replied(r.byCanister(r.target, 0, "schnorr_public_key", schnorrPublicKeyArg{Path: path, Key: bip340("key_1")}), &public)
	r.signed("sign_with_schnorr", signWithSchnorrArg{Message: hash, Path: path, Key: bip340("key_1")}, &signature)
	if err := thresholdtest.BIP340(public.Key[1:], hash, signature.Signature); err != nil {
		t.Errorf("BIP 340: %v", err)
	}
	for _, root := range [][]byte{nil, hash} {
		aux := &schnorrAux{&bip341Aux{root}}
		r.signed("sign_with_schnorr", signWithSchnorrArg{Message: hash, Path: path, Key: bip340("key_1"), Aux: aux}, &signature)
		output, err := thresholdtest.OutputKey(public.Key[1:], root)
		if err != nil {
			t.Fatal(err)
		}
		if err := thresholdtest.BIP340(output, hash, signature.Signature); err != nil {
			t.Errorf("BIP 341: %v", err)
		}
	}

	var key vetKDPublicKeyResult
	var derived vetKDDeriveKeyResult
	context, input := []byte("context"), []byte("input")
	r.replied(r.byCanister(r.target, 0, "vetkd_public_key", vetKDPublicKeyArg{Canister: &caller, Context: context, Key: bls("key_1")}), &key)
	r.signed("vetkd_derive_key", vetKDDeriveKeyArg{Input: input, Context: context, Transport: thresholdtest.TransportKey(transportSecret), Key: bls("key_1")}, &derived)
	if _, err := thresholdtest.VetKey(key.Key, input, derived.Encrypted, transportSecret); err != nil {
		t.Errorf("vetKD: %v", err)
	}
}

func TestEveryCanisterHasKeysOfItsOwnAndMayAskForThoseOfOthers(t *testing.T) {
	r := newRig(t).holding()
	other := r.add(2, alice)
	for _, method := range []string{"ecdsa_public_key", "schnorr_public_key", "vetkd_public_key"} {
		named := func(who *principal.Principal) any {
			switch a := keyArgFor(method).(type) {
			case ecdsaPublicKeyArg:
				a.Canister = who
				return a
			case schnorrPublicKeyArg:
				a.Canister = who
				return a
			case vetKDPublicKeyArg:
				a.Canister = who
				return a
			}
			return nil
		}
		id := r.target.ID()
		own := r.run(r.byCanister(r.target, 0, method, named(nil))).Reply
		byOther := r.run(r.byCanister(other, 0, method, named(nil))).Reply
		asked := r.run(r.byCanister(other, 0, method, named(&id))).Reply
		if bytes.Equal(own, byOther) || !bytes.Equal(own, asked) {
			t.Errorf("%s: the keys of canisters are mixed up", method)
		}
	}
}

func TestCallsFindTheirKeyOrHearWhatKeysThereAre(t *testing.T) {
	r := newRig(t).holding()
	known := state.KeysNamed("key_1")
	for _, m := range thresholdMethods() {
		id, keyed, reject := r.facade.Route(m.name, r.encode(keyArgFor(m.name)), known)
		if !keyed || reject != nil || id.Name != "key_1" {
			t.Errorf("%s: %s, %v, %v", m.name, id, keyed, reject)
		}
	}
	if _, keyed, reject := r.facade.Route("raw_rand", nil, known); keyed || reject != nil {
		t.Error("raw_rand is about a key")
	}
	const all = "[ecdsa:Secp256k1:key_1, ecdsa:Secp256r1:key_1, schnorr:Bip340Secp256k1:key_1, schnorr:Ed25519:key_1, vetkd:Bls12_381_G2:key_1]"
	unknown := func(method string, arg any, known []state.KeyID, text string) {
		t.Helper()
		_, _, reject := r.facade.Route(method, r.encode(arg), known)
		r.is(reject, intercanister.CanisterNotFound, "Unable to route management canister request "+method+": "+text)
	}
	unknown("ecdsa_public_key", ecdsaPublicKeyArg{Key: secp256k1("other")}, known, `ChainKeyError("Requested unknown threshold key: ecdsa:Secp256k1:other, existing keys: `+all+`")`)
	unknown("sign_with_schnorr", signWithSchnorrArg{Key: bip340("a\n\"b\x01")}, nil,
		`ChainKeyError("Requested unknown or disabled threshold key: schnorr:Bip340Secp256k1:a\n\"b\u{1}, existing enabled keys: []")`)
	unknown("sign_with_ecdsa", signWithECDSAArg{Hash: make([]byte, 31), Key: secp256k1("key_1")}, known,
		`UserError(UserError { code: InvalidManagementPayload, description: "Error decoding candid: Deserialize error: invalid length 31, expected an array of length 32" })`)
	unknown("schnorr_public_key", schnorrPublicKeyArg{Path: make([][]byte, 256), Key: ed25519("key_1")}, known,
		`UserError(UserError { code: InvalidManagementPayload, description: "Error decoding candid: Deserialize error: The number of elements exceeds maximum allowed 255" })`)
	most := r.encode(schnorrPublicKeyArg{Path: make([][]byte, 255), Key: ed25519("key_1")})
	if _, _, reject := r.facade.Route("schnorr_public_key", most, known); reject != nil {
		t.Error(reject)
	}
	if _, _, reject := r.facade.Route("vetkd_public_key", r.encode(vetKDPublicKeyArg{Key: bls(strings.Repeat("x", 10_000))}), known); len(reject.Text) > intercanister.MaxRejectTextBytes {
		t.Errorf("a text of %d bytes", len(reject.Text))
	}
}

func TestWhatIsNotSignedCostsNothing(t *testing.T) {
	r := newRig(t).holding()
	const fee = "sign_with_ecdsa request sent with 9_999_999_999 cycles, but 10_000_000_000 cycles are required."
	r.rejected(r.byCanister(r.target, signatureFee-1, "sign_with_ecdsa", keyArgFor("sign_with_ecdsa")), intercanister.CanisterRejectedMessage, fee)
	asks := func(method string, arg any, text string) {
		t.Helper()
		r.rejected(r.byCanister(r.target, signatureFee, method, arg), intercanister.CanisterRejectedMessage, text)
	}
	asks("sign_with_schnorr", signWithSchnorrArg{Key: bip340("key_1"), Aux: &schnorrAux{&bip341Aux{make([]byte, 31)}}}, "Invalid aux field for Bip340Secp256k1")
	asks("sign_with_schnorr", signWithSchnorrArg{Key: ed25519("key_1"), Aux: &schnorrAux{&bip341Aux{}}}, "Schnorr algorithm Ed25519 does not support aux input")
	asks("vetkd_derive_key", vetKDDeriveKeyArg{Transport: make([]byte, threshold.TransportKeyBytes), Key: bls("key_1")}, "The provided transport public key is invalid.")
	asks("sign_with_ecdsa", signWithECDSAArg{Hash: make([]byte, 32), Key: secp256k1("other")},
		"Subnet "+subnet.String()+" does not hold threshold key ecdsa:Secp256k1:other.")
	for range 20 {
		if a := r.run(r.byCanister(r.target, signatureFee, "sign_with_ecdsa", keyArgFor("sign_with_ecdsa"))); a.When != state.Deferred {
			t.Fatalf("%+v", a)
		}
	}
	asks("sign_with_ecdsa", keyArgFor("sign_with_ecdsa"), "sign_with_ecdsa request failed: request queue for key ecdsa:Secp256k1:key_1 is full.")
	r.st.Signing.Pending = nil
	r.signed("sign_with_ecdsa", keyArgFor("sign_with_ecdsa"), new(signatureResult))
}

func TestTheFeeIsThatOfTheSubnetThatSignsAndTheNNSPaysNone(t *testing.T) {
	r := newRig(t).holding()
	r.st.Fees = cycles.System(34)
	remote := principal.Canister(70)
	r.hosted[remote] = root
	ask := func() *state.ManagementCall {
		c := r.byCanister(r.target, 0, "vetkd_derive_key", keyArgFor("vetkd_derive_key"))
		c.Sender, c.Caller, c.Origin.Caller = nil, remote, remote
		return c
	}
	r.rejected(ask(), intercanister.CanisterRejectedMessage, "vetkd_derive_key request sent with 0 cycles, but 26_153_846_153 cycles are required.")
	r.st.Signing.Exempt = root
	if a := r.run(ask()); a.When != state.Deferred {
		t.Errorf("%+v", a)
	}
}

func TestAnyPathMessageAndContextIsServed(t *testing.T) {
	r := newRig(t).holding()
	rapid.Check(t, func(t *rapid.T) {
		blob := rapid.SliceOfN(rapid.Byte(), 0, 80)
		path := rapid.SliceOfN(blob, 0, 6).Draw(t, "path")
		var public publicKeyResult
		var signature signatureResult
		message := blob.Draw(t, "message")
		id := bip340("key_1")
		if rapid.Bool().Draw(t, "ed25519") {
			id = ed25519("key_1")
		}
		r.replied(r.byCanister(r.target, 0, "schnorr_public_key", schnorrPublicKeyArg{Path: path, Key: id}), &public)
		r.signed("sign_with_schnorr", signWithSchnorrArg{Message: message, Path: path, Key: id}, &signature)
		err := thresholdtest.Ed25519(public.Key, message, signature.Signature)
		if len(public.Key) == threshold.Secp256k1KeyBytes {
			err = thresholdtest.BIP340(public.Key[1:], message, signature.Signature)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzKeys looks for arguments of the methods with keys that break them, beyond
// what FuzzAnyMethodWithAnyArgument finds without keys.
func FuzzKeys(f *testing.F) {
	seed := newRig(f)
	for i, m := range thresholdMethods() {
		f.Add(uint8(i), seed.encode(keyArgFor(m.name)))
	}
	f.Add(uint8(3), binary.BigEndian.AppendUint64(nil, 7))
	f.Fuzz(func(t *testing.T, which uint8, arg []byte) {
		r := newRig(t).holding()
		methods := thresholdMethods()
		name := methods[int(which)%len(methods)].name
		id, keyed, reject := r.facade.Route(name, arg, state.KeysNamed(r.st.Signing.Names...))
		c := r.byCanister(r.target, signatureFee, name)
		c.Arg = arg
		a := r.run(c)
		if !keyed || reject == nil && (a.Reject != nil && strings.Contains(a.Reject.Text, "candid") || id.Name != "key_1") {
			t.Fatalf("%s: routed to %s with %v, answered %+v", name, id, reject, a)
		}
		for i := range r.st.Signing.Pending {
			if a := r.facade.Sign(r.st, &r.st.Signing.Pending[i]); a.Reject != nil || len(a.Reply) == 0 {
				t.Fatalf("%s: accepted and then %+v", name, a)
			}
		}
	})
}

func TestSignaturesAndKeysCountInTheInstructionsOfTheRound(t *testing.T) {
	path := make([][]byte, 3)
	for name, c := range map[string]struct {
		arg  interface{ instructions() uint64 }
		want uint64
	}{
		"a key at three elements":       {&ecdsaPublicKeyArg{Path: path}, 400_000},
		"a signature at three elements": {&signWithECDSAArg{Path: path}, 900_000},
		"a Schnorr signature":           {&signWithSchnorrArg{}, 600_000},
		"a VetKD key":                   {&vetKDPublicKeyArg{}, 5_000_000},
		"a derived VetKD key":           {&vetKDDeriveKeyArg{}, 5_000_000},
	} {
		if got := c.arg.instructions(); got != c.want {
			t.Errorf("%s counts %d instructions, want %d", name, got, c.want)
		}
	}
}
