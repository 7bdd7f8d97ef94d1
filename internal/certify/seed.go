package certify

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Seed is the 32 bytes from which all keys of an instance, or of one of its subnets, are derived. The same seed always
// gives the same keys.
type Seed [32]byte

// Derive returns the seed for one purpose under this one: HKDF-SHA-256 (RFC 5869) with the purpose and the index as its
// info. Seeds of different purposes or indices reveal nothing about each other.
func (s Seed) Derive(purpose string, index uint64) Seed {
	return Seed(s.expand(fmt.Sprintf("seed/%d/%s", index, purpose), len(Seed{})))
}

func (s Seed) expand(info string, length int) []byte {
	out, err := hkdf.Key(sha256.New, s[:], []byte("canisterd/certify/v1"), info, length)
	if err != nil {
		panic(fmt.Sprintf("certify: bug: expand a seed for %s: %v", info, err))
	}
	return out
}
