package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// KeyID identifies a threshold key.
type KeyID struct {
	Scheme canister.KeyScheme
	Name   string
}

// String returns the key as in texts of the replica.
func (id KeyID) String() string {
	scheme := [...]string{
		canister.ECDSASecp256k1: "ecdsa:Secp256k1", canister.SchnorrBIP340: "schnorr:Bip340Secp256k1",
		canister.SchnorrEd25519: "schnorr:Ed25519", canister.VetKDBLS12381G2: "vetkd:Bls12_381_G2",
		canister.ECDSASecp256r1: "ecdsa:Secp256r1",
	}[id.Scheme]
	return scheme + ":" + id.Name
}

// Signing is the subnet's threshold keys and the pending requests for signatures.
type Signing struct {
	// Names are the names of the keys the subnet holds: one key of each scheme for each name, all enabled. They never
	// change.
	Names []string
	// Ring has the keys themselves; the subnets of a network share it.
	Ring *threshold.Ring
	// Exempt is the subnet whose canisters sign without a fee: the NNS. The empty principal if there is none.
	Exempt principal.Principal
	// Pending are the accepted requests in the order in which they came; the next
	// round answers them.
	Pending []PendingSignature
}

// PendingSignature is a call that requests a signature, or a derived key, and has paid for it.
type PendingSignature struct {
	Ticket Ticket
	Key    KeyID
	Caller principal.Principal
	Method string
	Arg    []byte // valid for the method
}

// KeysNamed returns the keys of all schemes with some names.
func KeysNamed(names ...string) (keys []KeyID) {
	for _, name := range names {
		for scheme := range canister.KeySchemes {
			keys = append(keys, KeyID{Scheme: scheme, Name: name})
		}
	}
	return keys
}

// Holds reports whether the subnet holds a key.
func (s *Signing) Holds(id KeyID) bool {
	return id.Scheme < canister.KeySchemes && slices.Contains(s.Names, id.Name)
}

// Waiting returns how many requests for a key are not answered.
func (s *Signing) Waiting(id KeyID) (n int) {
	for i := range s.Pending {
		if s.Pending[i].Key == id {
			n++
		}
	}
	return n
}

// Signer is a Management with methods that need threshold keys.
type Signer interface {
	// Route returns the key that a call is about, one of the network's. keyed is false if the method is about no key. A
	// reject says why the call cannot be routed to the subnet that holds the key.
	Route(method string, arg []byte, known []KeyID) (id KeyID, keyed bool, reject *intercanister.Reject)

	// Signs reports whether Sign can answer a request: accepted ones are answered.
	Signs(p *PendingSignature) bool

	// Sign answers an accepted request.
	Sign(s *State, p *PendingSignature) Answer
}
