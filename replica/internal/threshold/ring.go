package threshold

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"sync"
)

// Ring is all threshold keys of an instance. They follow from its seed and their names; each is made on first use. It
// is safe for concurrent use, as the keys are: an instance shares it with its forks.
type Ring struct {
	seed      [32]byte
	mu        sync.Mutex // guards the fields below
	secp256k1 map[string]*Secp256k1
	secp256r1 map[string]*Secp256r1
	ed25519   map[string]*Ed25519
	vetKD     map[string]*VetKD
}

// NewRing returns the ring of a seed.
func NewRing(seed [32]byte) *Ring {
	return &Ring{seed: seed}
}

// Secp256k1 returns the key with a name for ECDSA or BIP 340. The ring keeps it, so names must be from a fixed set.
func (r *Ring) Secp256k1(name string) *Secp256k1 { return made(r, &r.secp256k1, name, newSecp256k1) }

// Secp256r1 returns the key with a name for ECDSA over secp256r1.
func (r *Ring) Secp256r1(name string) *Secp256r1 { return made(r, &r.secp256r1, name, newSecp256r1) }

// Ed25519 returns the key with a name for Ed25519.
func (r *Ring) Ed25519(name string) *Ed25519 { return made(r, &r.ed25519, name, newEd25519) }

// VetKD returns the key with a name for vetKD.
func (r *Ring) VetKD(name string) *VetKD { return made(r, &r.vetKD, name, newVetKD) }

func made[K any](r *Ring, keys *map[string]*K, name string, from func([]byte) *K) *K {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := (*keys)[name]
	if key == nil {
		key = from(expand(r.seed[:], name))
		if *keys == nil {
			*keys = make(map[string]*K)
		}
		(*keys)[name] = key
	}
	return key
}

// expanded is the length of the bytes from which keys are made: so long that the bias modulo the order of a group is
// negligible.
const expanded = 64

// expand implements HKDF-SHA-256 (RFC 5869) for one purpose.
func expand(secret []byte, purpose string) []byte {
	out, err := hkdf.Key(sha256.New, secret, []byte("canisterd/threshold/v1"), purpose, expanded)
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: expand a seed for %q: %v", purpose, err))
	}
	return out
}
