package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestACanisterIsLowOnMemoryBelowItsLimitOrTheLargestHeap(t *testing.T) {
	usual := canister.DefaultSettings()
	for _, x := range []struct {
		name     string
		settings canister.Settings
		wide     bool
		limit    uint64
	}{
		{"the default settings", usual, false, 3_221_225_472},
		{"the default settings, 64 bits", usual, true, 3_221_225_472},
		{"no limit", canister.Settings{}, false, 4_294_967_296},
		{"no limit, 64 bits", canister.Settings{}, true, 4_294_901_760},
	} {
		const threshold = 65_536
		x.settings.WasmMemoryThreshold = threshold
		if x.settings.LowOnHeap(x.limit-threshold, x.wide) || !x.settings.LowOnHeap(x.limit-threshold+1, x.wide) {
			t.Errorf("%s: it is not low from a heap of %d bytes on", x.name, x.limit-threshold+1)
		}
	}
}

func TestFourViewsWaitForTheNextQueries(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	var queries []*canister.QueryTarget
	for range 6 {
		q, reject := c.PrepareQuery()
		if reject != nil {
			t.Fatal(reject)
		}
		queries = append(queries, q)
	}
	for i, q := range queries {
		q.Release()
		if n := c.IdleViews(); n != min(i+1, 4) {
			t.Errorf("after %d queries %d views wait, want %d", i+1, n, min(i+1, 4))
		}
	}
	if q, _ := c.PrepareQuery(); c.IdleViews() != 3 {
		t.Errorf("%d views wait beside a query, want 3", c.IdleViews())
	} else {
		q.Release()
	}
}
