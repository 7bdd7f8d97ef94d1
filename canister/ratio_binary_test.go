package canister

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioHashOfAKnownModule finds the hash of a module of 1 MB that a canister has; the floor computes it.
func BenchmarkRatioHashOfAKnownModule(b *testing.B) {
	e, err := NewEngine(EngineConfig{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	module := make([]byte, 1_000_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(module) // always fills it
	hash := sha256.Sum256(module)
	known, err := e.newBinary(uint64(len(module)))
	if err == nil {
		err = known.image.Write(0, module)
	}
	if err != nil {
		b.Fatal(err)
	}
	e.add(known, hash)
	defer known.release()
	ratio.Compare(b, 0.1,
		ratio.Each(func() {
			if e.hashOf(module) != hash {
				b.Fatal("the module has another hash")
			}
		}),
		ratio.Each(func() { sha256.Sum256(module) }))
}
