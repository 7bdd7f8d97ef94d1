package instance

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
)

// SeedBytes is the length of a seed.
const SeedBytes = 32

// seeds gives each instance without a configured seed its own: the first is the daemon's, the others derive from it and
// from the number of seeds given before. So a daemon with a seed gives the same ones at each start.
type seeds struct {
	daemon [SeedBytes]byte
	given  atomic.Uint64
}

// newSeeds starts with a seed, padded with zeros; nil for a random one.
func newSeeds(seed []byte) *seeds {
	s := new(seeds)
	copy(s.daemon[:], seed)
	if len(seed) == 0 {
		_, _ = rand.Read(s.daemon[:]) // never fails
	}
	return s
}

// next returns the seed of an instance: its own if it has one.
func (s *seeds) next(own *[SeedBytes]byte) [SeedBytes]byte {
	if own != nil {
		return *own
	}
	number := s.given.Add(1) - 1
	if number == 0 {
		return s.daemon
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("canisterd instance"), s.daemon[:]...), number))
}
