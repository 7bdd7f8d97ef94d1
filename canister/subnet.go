package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Subnet is what a subnet tells every execution of a round. It is constant during
// the round and read by all executions of it at once.
type Subnet struct {
	ID      principal.Principal
	RootKey []byte // DER
	Fees    cycles.Schedule
	System  bool // a system subnet
	Limits  Limits
	Time    uint64 // ns, the batch time

	// MemoryUsed is what all canisters of the subnet used before the messages that run
	// together, in bytes: where growth starts from.
	MemoryUsed uint64
	// Keys are the threshold keys that canisters of this subnet can have signatures with.
	Keys []Key
	// Volatile is set in networks that live for a few messages: what the messages of canisters commit stays in memory,
	// and instances are used again by the next fork of the same state.
	Volatile bool
	// Unthrottled is set where debug_print is charged for printing as well (metering: the
	// replica's feature rate_limiting_of_debug_prints is off).
	Unthrottled bool
	// Randomness is what random bytes of WASI are made of, with the message.
	Randomness [32]byte
	// Print is given what a canister prints, whole and at once, on the goroutine that runs the message; the text is
	// valid only during the call. A message that begins again prints again. nil: no listener.
	Print func(canister principal.Principal, text []byte)
}

// Key is a threshold key and the size of the subnet that holds it, which sets
// the price of signatures.
type Key = ic0.Key

// KeyScheme is the scheme of a threshold key.
type KeyScheme = ic0.KeyScheme

// The schemes.
const (
	ECDSASecp256k1  = ic0.ECDSASecp256k1
	SchnorrBIP340   = ic0.SchnorrBIP340
	SchnorrEd25519  = ic0.SchnorrEd25519
	VetKDBLS12381G2 = ic0.VetKDBLS12381G2
	ECDSASecp256r1  = ic0.ECDSASecp256r1
)
