package canister_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/canister"
)

func TestACoverageOfRunsHasTheBlocksOfEachRun(t *testing.T) {
	p, record := recorded(t, canister.EngineConfig{})
	run := p.Canister(p.Wat(twoWays), nil)
	coverage := canister.NewRunCoverage()
	record(coverage)
	ran := func(arg []byte) []uint32 {
		t.Helper()
		p.Update(run, "run", arg)
		all := coverage.TakeRan()
		if len(all) != 1 {
			t.Fatalf("blocks of %d modules ran", len(all))
		}
		return all[0].Bits
	}
	left, right, again := ran([]byte("left")), ran(nil), ran([]byte("left"))
	if !slices.Equal(left, again) || slices.Equal(left, right) || !slices.IsSorted(left) {
		t.Errorf("one way ran %v, the other %v, and the first one again %v", left, right, again)
	}
	if rest := coverage.TakeRan(); rest != nil {
		t.Errorf("%v ran after the last call", rest)
	}
}
