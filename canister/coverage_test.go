package canister_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// blocksThatRan counts by module.
func blocksThatRan(coverage *canister.Coverage) (counts []int) {
	for _, m := range coverage.Modules() {
		ran := 0
		for _, f := range m.Functions {
			for _, b := range f.Blocks {
				if b.Ran {
					ran++
				}
			}
		}
		counts = append(counts, ran)
	}
	return counts
}

func coveredPlace(tb testing.TB, coverage *canister.Coverage) *canistertest.Place {
	tb.Helper()
	engine, err := canister.NewEngine(canister.EngineConfig{Coverage: coverage})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Error(err)
		}
	})
	p := canistertest.NewPlace(tb)
	p.Engine = engine
	return p
}

func TestModulesThatDifferInMetadataHaveACoverageOfTheirOwn(t *testing.T) {
	coverage := canister.NewCoverage()
	p := coveredPlace(t, coverage)
	counter := canistertest.Fixture("counter")
	described := append(slices.Clip(counter), 0, 5, 4, 'n', 'o', 't', 'e') // a custom section without content
	for _, module := range [][]byte{counter, described} {
		p.Update(p.Canister(p.Module(module), nil), "inc", []byte("DIDL\x00\x00"))
	}
	if counts := blocksThatRan(coverage); len(counts) != 2 || counts[0] == 0 || counts[0] != counts[1] {
		t.Errorf("%v blocks of two modules ran that have the same code", counts)
	}
}

// A message that pauses may never go on.
func TestWhatAMessageRanBeforeItPausesIsCovered(t *testing.T) {
	coverage := canister.NewCoverage()
	p := coveredPlace(t, coverage)
	c := p.Canister(p.Wat(`(module (func (export "canister_update f") (local i32)
		loop local.get 0 i32.const 1 i32.add local.tee 0 i32.const 20000000 i32.ne br_if 0 end))`), nil)
	paused := false
	c.Execute(&p.Subnet, &canister.Message{Context: canister.Update, Method: "f", Caller: canistertest.User, Pause: func() {
		if counts := blocksThatRan(coverage); !slices.Equal(counts, []int{2}) {
			t.Errorf("%v blocks ran before the message pauses, want the two of its loop", counts)
		}
		paused = true
	}})
	if !paused {
		t.Error("the message never paused")
	}
}
