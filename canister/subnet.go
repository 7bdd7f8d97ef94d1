package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Subnet is the input of a subnet to every execution of a round. It is constant during the round, and all executions of
// the round read it concurrently.
type Subnet struct {
	ID      principal.Principal
	RootKey []byte // DER
	Fees    cycles.Schedule
	System  bool // a system subnet
	Limits  Limits
	Time    uint64 // ns, the batch time

	// MemoryUsed is what all canisters of the subnet used before the messages that run together, in bytes: growth is
	// measured from it.
	MemoryUsed uint64
	// Keys are the threshold keys that canisters of this subnet can sign with.
	Keys []Key
	// Volatile is set in networks that live for a few messages: committed changes of canisters stay in memory, and the
	// next fork of the same state reuses instances.
	Volatile bool
	// Unthrottled is set if debug_print is charged for printing as well (metering: the replica's feature
	// rate_limiting_of_debug_prints is off).
	Unthrottled bool
	// Randomness is the seed, with the message, of random bytes of WASI.
	Randomness [32]byte
	// Print receives each text that a canister prints, whole and immediately, on the goroutine that runs the message;
	// the text is valid only during the call. A message that begins again in a fork prints only what its original has not printed. nil: no listener.
	Print func(canister principal.Principal, text []byte)
}

// Key is a threshold key and the size of the subnet that holds it, which determines the price of signatures.
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
