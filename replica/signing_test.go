package replica_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/thresholdtest"
)

// asker is a canister that calls the management canister: the argument is the
// length of a method's name, the name, and an argument. It pays for a signature and
// replies what it hears.
const asker = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32))) (import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32))) (import "ic0" "call_perform" (func $perform (result i32)))
	(import "ic0" "call_cycles_add128" (func $attach (param i64 i64)))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reject_msg_size" (func $why (result i32))) (import "ic0" "msg_reject_msg_copy" (func $text (param i32 i32 i32)))
	(import "ic0" "msg_reject" (func $reject (param i32 i32)))
	(memory 1) (table 2 funcref) (elem (i32.const 0) $replied $rejected)
	(func (export "canister_update ask") (local $name i32)
	  (call $copy (i32.const 0) (i32.const 0) (call $size))
	  (local.set $name (i32.load8_u (i32.const 0)))
	  (call $new (i32.const 0) (i32.const 0) (i32.const 1) (local.get $name) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
	  (call $data (i32.add (local.get $name) (i32.const 1)) (i32.sub (call $size) (i32.add (local.get $name) (i32.const 1))))
	  (call $attach (i64.const 0) (i64.const 30000000000))
	  (drop (call $perform)))
	(func $replied (param i32)
	  (call $copy (i32.const 0) (i32.const 0) (call $size)) (call $append (i32.const 0) (call $size)) (call $reply))
	(func $rejected (param i32)
	  (call $text (i32.const 0) (i32.const 0) (call $why)) (call $reject (i32.const 0) (call $why))))`

// signer is a stage with the asker on an application subnet, and a subnet that
// holds the test keys.
func signer(t *testing.T) *real.Stage {
	t.Helper()
	return signerOf(t, replica.Application, replica.TestKeys)
}

// signerOf is a stage with subnets of some kinds, and the asker on the first.
func signerOf(t *testing.T, kinds ...replica.SubnetKind) *real.Stage {
	t.Helper()
	subnets := make([]replica.SubnetConfig, len(kinds))
	for i, kind := range kinds {
		subnets[i].Kind = kind
	}
	s := real.NewStage(t, replica.Config{Subnets: subnets})
	module, err := wat.Assemble(asker)
	if err != nil {
		t.Fatal(err)
	}
	s.Create("A", 0, real.Plenty)
	if a := s.Install("A", real.Install, module, nil); a.Status != "replied" {
		t.Fatal(a)
	}
	return s
}

// asked asks the management canister by way of the asker and reads its answer.
func asked(t *testing.T, s *real.Stage, method, arg string, result any) {
	t.Helper()
	a := s.Call("A", "ask", slices.Concat([]byte{byte(len(method))}, []byte(method), s.Args(arg)))
	if a.Status != "replied" {
		t.Fatalf("%s: %s", method, a)
	}
	if err := candid.Unmarshal(a.Reply, result); err != nil {
		t.Fatal(err)
	}
}

type publicKey struct {
	Key []byte `ic:"public_key"`
}

type signature struct {
	Signature []byte `ic:"signature"`
}

func TestWhatACanisterHasSignedVerifiesUnderTheKeyItWasGiven(t *testing.T) {
	s := signer(t)
	var key publicKey
	var signed signature
	message := []byte("the message, 32 bytes, hashed...")
	const path = `derivation_path = vec { blob "one"; blob "two" };`

	const secp256k1 = path + ` key_id = record { curve = variant { secp256k1 }; name = "test_key_1" }`
	asked(t, s, "ecdsa_public_key", `(record { canister_id = null : opt principal; `+secp256k1+` })`, &key)
	asked(t, s, "sign_with_ecdsa", `(record { message_hash = blob "the message, 32 bytes, hashed..."; `+secp256k1+` })`, &signed)
	if err := thresholdtest.ECDSA(key.Key, message, signed.Signature); err != nil {
		t.Errorf("ECDSA: %v", err)
	}

	const secp256r1 = path + ` key_id = record { curve = variant { secp256r1 }; name = "test_key_1" }`
	asked(t, s, "ecdsa_public_key", `(record { canister_id = null : opt principal; `+secp256r1+` })`, &key)
	asked(t, s, "sign_with_ecdsa", `(record { message_hash = blob "the message, 32 bytes, hashed..."; `+secp256r1+` })`, &signed)
	if err := thresholdtest.ECDSAOverSecp256r1(key.Key, message, signed.Signature); err != nil {
		t.Errorf("ECDSA over secp256r1: %v", err)
	}

	const ed25519 = path + ` key_id = record { algorithm = variant { ed25519 }; name = "dfx_test_key" }`
	asked(t, s, "schnorr_public_key", `(record { canister_id = null : opt principal; `+ed25519+` })`, &key)
	asked(t, s, "sign_with_schnorr", `(record { message = blob "the message, 32 bytes, hashed..."; `+ed25519+` })`, &signed)
	if err := thresholdtest.Ed25519(key.Key, message, signed.Signature); err != nil {
		t.Errorf("Ed25519: %v", err)
	}

	const bip340 = path + ` key_id = record { algorithm = variant { bip340secp256k1 }; name = "dfx_test_key" }`
	asked(t, s, "schnorr_public_key", `(record { canister_id = null : opt principal; `+bip340+` })`, &key)
	asked(t, s, "sign_with_schnorr", `(record { message = blob "the message, 32 bytes, hashed..."; `+bip340+` })`, &signed)
	if err := thresholdtest.BIP340(key.Key[1:], message, signed.Signature); err != nil {
		t.Errorf("BIP 340: %v", err)
	}
	asked(t, s, "sign_with_schnorr", `(record { message = blob "the message, 32 bytes, hashed..."; `+bip340+
		`; aux = opt variant { bip341 = record { merkle_root_hash = blob "the message, 32 bytes, hashed..." } } })`, &signed)
	output, err := thresholdtest.OutputKey(key.Key[1:], message)
	if err != nil {
		t.Fatal(err)
	}
	if err := thresholdtest.BIP340(output, message, signed.Signature); err != nil {
		t.Errorf("BIP 341: %v", err)
	}

	audit := s.Introspect().AuditCycles()
	if held := audit.Held().Add(audit.Spent()); held != audit.Minted {
		t.Errorf("%s cycles are held or spent, %s were minted", held, audit.Minted)
	}
}

func TestCallsReachTheSubnetThatHoldsTheirKeyAfterAnEarlierSubnetWasDeleted(t *testing.T) {
	s := signerOf(t, replica.Application, replica.Application, replica.TestKeys)
	deleteSubnet(t, s, 1)
	var key publicKey
	asked(t, s, "schnorr_public_key", `(record { canister_id = null : opt principal; derivation_path = vec {}; key_id = record { algorithm = variant { ed25519 }; name = "test_key_1" } })`, &key)
	if len(key.Key) != 32 {
		t.Errorf("the key has %d bytes, want 32", len(key.Key))
	}
}

func TestADerivedKeyIsValidAndDecryptsWithTheTransportSecret(t *testing.T) {
	s := signer(t)
	secret := big.NewInt(20_260_706)
	transport := ""
	for _, b := range thresholdtest.TransportKey(secret) {
		transport += fmt.Sprintf(`\%02x`, b)
	}
	for _, context := range []string{"", "context"} {
		of := `context = blob "` + context + `"; key_id = record { curve = variant { bls12_381_g2 }; name = "test_key_1" }`
		var key publicKey
		var derived struct {
			Encrypted []byte `ic:"encrypted_key"`
		}
		asked(t, s, "vetkd_public_key", `(record { canister_id = null : opt principal; `+of+` })`, &key)
		asked(t, s, "vetkd_derive_key", `(record { input = blob "input"; transport_public_key = blob "`+transport+`"; `+of+` })`, &derived)
		if _, err := thresholdtest.VetKey(key.Key, []byte("input"), derived.Encrypted, secret); err != nil {
			t.Errorf("context %q: %v", context, err)
		}
	}
}

// The prices tell where the keys are: 10^10 cycles for 13 nodes.
func TestKeysAreOnTheSubnetsOfTheirKindOrOnTheOneNearestInSize(t *testing.T) {
	const of13, of34, of40 = 10_000_000_000, 26_153_846_153, 30_769_230_769
	engine := canistertest.NewEngine(t)
	for _, v := range []struct {
		name          string
		subnets       []replica.SubnetConfig
		key1, testKey uint64
	}{
		{"one application subnet", []replica.SubnetConfig{{}}, of13, of13},
		{"the default network", []replica.SubnetConfig{{Kind: replica.NNS}, {}}, of13, of13},
		{"the NNS alone", []replica.SubnetConfig{{Kind: replica.NNS}}, of40, of40},
		{"the subnets of PocketIC", []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.II}, {}, {Kind: replica.TestKeys}}, of34, of13},
		{"no subnet for test keys", []replica.SubnetConfig{{Kind: replica.Fiduciary}, {Kind: replica.NNS}, {}}, of34, of13},
		{"nothing small", []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.Fiduciary}}, of34, of34},
		{"nothing large", []replica.SubnetConfig{{Nodes: 1}, {Nodes: 7}}, 5_384_615_384, 5_384_615_384},
	} {
		s := real.NewStage(t, replica.Config{Engine: engine, Subnets: v.subnets})
		s.Create("A", 0, real.Plenty)
		if a := s.Install("A", real.Install, canistertest.Scriptable(), nil); a.Status != "replied" {
			t.Fatal(a)
		}
		program := canistertest.MustParse(`append cost-ecdsa("key_1", 0); append cost-vetkd("test_key_1", 0); append cost-schnorr("dfx_test_key", 0); reply`, s.Names)
		a := s.Call("A", "run", program.Bytes())
		if len(a.Reply) != 48 {
			t.Fatalf("%s: %s", v.name, a)
		}
		for i, want := range []uint64{v.key1, v.testKey, v.testKey} {
			price := cycles.Amount{Lo: binary.LittleEndian.Uint64(a.Reply[16*i:]), Hi: binary.LittleEndian.Uint64(a.Reply[16*i+8:])}
			if price != cycles.Of(want) {
				t.Errorf("%s: price %d is %s, want %d", v.name, i, price, want)
			}
		}
	}
}

func TestAmongSubnetsOfASizeOneThatChargesSigns(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Free: true}, {}}})
	s.Create("A", 0, real.Plenty)
	if a := s.Install("A", real.Install, canistertest.Scriptable(), nil); a.Status != "replied" {
		t.Fatal(a)
	}
	arg := s.Args(`(record { message_hash = blob "the message, 32 bytes, hashed..."; derivation_path = vec {} : vec blob; key_id = record { curve = variant { secp256k1 }; name = "key_1" } })`)
	program := canistertest.MustParse(fmt.Sprintf(`call management.sign_with_ecdsa(0x%x) cycles 7 on-reply(reply "signed") on-reject(reply reject-message)`, arg), s.Names)
	const want = "replied: sign_with_ecdsa request sent with 7 cycles, but 10_000_000_000 cycles are required."
	if a := s.Call("A", "run", program.Bytes()); a.String() != want {
		t.Errorf("got %s, want %s", a, want)
	}
}

func TestARoundAndItsStepsSignAlikeAndNeverForget(t *testing.T) {
	var roots [][32]byte
	for name, pass := range map[string]roundRunner{"rounds": round, "steps": steps(replica.FIFO{})} {
		s := signer(t)
		arg := s.Args(`(record { message = blob "m"; derivation_path = vec {} : vec blob; key_id = record { algorithm = variant { ed25519 }; name = "test_key_1" } })`)
		const method = "sign_with_schnorr"
		id, refused := s.Submit("A", "ask", slices.Concat([]byte{byte(len(method))}, []byte(method), arg))
		if refused != "" {
			t.Fatal(refused)
		}
		waited := 0
		for range 10 {
			waited += s.Census().Signatures
			if !s.Activity().HasDueWork {
				break
			}
			pass(s.Network)
		}
		if a := s.Answer(id); a.Status != "replied" || waited != 1 || s.Census().Signatures != 0 {
			t.Errorf("%s: %s, the request waited in %d rounds", name, a, waited)
		}
		roots = append(roots, stateHash(t, s.Network))
	}
	if roots[0] != roots[1] {
		t.Error("the states differ")
	}
}
