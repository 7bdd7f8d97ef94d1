package canistertest

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
)

// NewDiskPlace is NewPlace with an engine that keeps compiled modules and heaps in folders of the
// test.
func NewDiskPlace(tb testing.TB) *Place {
	tb.Helper()
	p := NewPlace(tb)
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: tb.TempDir(), HeapDir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	p.Engine = engine
	return p
}
