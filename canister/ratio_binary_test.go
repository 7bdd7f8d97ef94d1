package canister

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// BenchmarkRatioHashOfAKnownModule finds the hash of a module of 1 MB that a canister has; the floor computes it.
func BenchmarkRatioHashOfAKnownModule(b *testing.B) {
	e := newKeeper(b)
	module := make([]byte, 1_000_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(module) // always fills it
	hash := sha256.Sum256(module)
	known := e.kept(module, hash)
	defer known.release()
	ratio.Compare(b, 0.1,
		ratio.Each(func() {
			if e.hashOf(module) != hash {
				b.Fatal("the module has another hash")
			}
		}),
		ratio.Each(func() { sha256.Sum256(module) }))
}
