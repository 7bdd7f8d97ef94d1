package canister_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
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

// twoWays has a method whose argument chooses one of two ways.
const twoWays = `(module (import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(func (export "canister_update run") (if (call $size) (then (call $reply)) (else (call $reply) (nop)))))`

// recorded makes a place whose subnet has a coverage, and returns what it has while it is set.
func recorded(t *testing.T, config canister.EngineConfig) (p *canistertest.Place, record func(*canister.Coverage)) {
	t.Helper()
	engine, err := canister.NewEngine(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	p = canistertest.NewPlace(t)
	p.Engine = engine
	return p, func(c *canister.Coverage) {
		p.Subnet.Covered = nil
		if c != nil {
			p.Subnet.Covered = func(principal.Principal) canister.Collector { return c }
		}
	}
}

func TestACoverageOfASubnetHasWhatRanWhileItWasSet(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine *canister.Coverage
		probes bool
	}{{"alone", nil, false}, {"beside that of the engine", canister.NewCoverage(), false}, {"during a profile", nil, true}} {
		t.Run(c.name, func(t *testing.T) {
			p, record := recorded(t, canister.EngineConfig{Coverage: c.engine})
			if c.probes {
				p.Subnet.Profiled = func(principal.Principal) bool { return true }
			}
			run := p.Canister(p.Wat(twoWays), nil)
			p.Update(run, "run", []byte("before"))
			first, second := canister.NewCoverage(), canister.NewCoverage()
			record(first)
			p.Update(run, "run", nil)
			record(nil)
			p.Update(run, "run", []byte("between"))
			record(second)
			p.Update(run, "run", []byte("again"))
			record(first)
			p.Update(run, "run", nil)
			if one, two := blocksThatRan(first), blocksThatRan(second); !slices.Equal(one, []int{2}) || !slices.Equal(two, []int{2}) {
				t.Errorf("%v blocks ran in the first coverage, %v in the second, want the two of one way each", one, two)
			}
			record(second)
			p.Update(run, "run", nil)
			if all := blocksThatRan(second); !slices.Equal(all, []int{3}) {
				t.Errorf("%v blocks ran on both ways, want 3", all)
			}
		})
	}
}

func TestACoverageOfASubnetListsModulesBeforeTheyRun(t *testing.T) {
	p, record := recorded(t, canister.EngineConfig{})
	module := p.Wat(twoWays)
	p.Canister(module, nil)
	coverage := canister.NewCoverage()
	record(coverage)
	if err := module.WarmCoverage(t.Context(), coverage); err != nil {
		t.Fatal(err)
	}
	modules := coverage.Modules()
	if len(modules) != 1 || len(modules[0].Functions) != 1 || len(modules[0].Functions[0].Blocks) != 3 || blocksThatRan(coverage)[0] != 0 {
		t.Errorf("the coverage has %+v, want a module with three blocks that did not run", modules)
	}
	if !modules[0].Lines().Empty() {
		t.Error("a module without debug information has source lines")
	}
}
