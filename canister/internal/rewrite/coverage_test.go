package rewrite

import (
	"slices"
	"testing"
)

// coveredConformance are the options of modules for coverage.
var coveredConformance = Options{Conformance: true, Coverage: true}

func TestCoverageChangesNothingThatRandomProgramsDo(t *testing.T) {
	t.Parallel()
	both := coveredConformance
	both.Probes = true
	for seed := range uint64(100) {
		for _, o := range []Options{coveredConformance, both} {
			for _, slice := range []int64{1 << 40, 97} {
				g, _ := runAs(t, o, generate(seed), slice, seed)
				told := slices.Sorted(slices.Values(g.ran))
				if len(told) == 0 || len(slices.Compact(slices.Clone(told))) != len(told) {
					t.Fatalf("seed %d: blocks %v ran: they are told once", seed, told)
				}
			}
		}
	}
}

func TestCoverageKnowsEveryWayThroughAFunction(t *testing.T) {
	for _, c := range waysToCall() {
		for n := range uint64(12) {
			runAs(t, coveredConformance, c.module(), 3, n)
		}
	}
}

// Each operator has one byte here, so offsets count operators.
func TestABlockThatRanIsTheWayThatWasTaken(t *testing.T) {
	const text = `(module (func (export "f") (param i32) (result i32)
		local.get 0 if (result i32) i32.const 1 else i32.const 2 end i32.const 3 i32.add))`
	m := rewriteText(t, text, coveredConformance)
	base := m.Blocks[0].From
	way := func(arg uint64) (spans [][2]uint32) {
		g, err := runAs(t, coveredConformance, text, 1<<40, arg)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range g.ran {
			b := m.Blocks[block]
			spans = append(spans, [2]uint32{b.From - base, b.To - base})
		}
		return spans
	}
	// local.get 0 takes 2 bytes, if and its type 2, a constant 2, else 1, end 1, i32.add 1.
	head, yes, no, rest := [2]uint32{0, 4}, [2]uint32{4, 7}, [2]uint32{7, 10}, [2]uint32{10, 14}
	if got, want := way(1), [][2]uint32{head, yes, rest}; !slices.Equal(got, want) {
		t.Errorf("f(1) runs %v, want %v", got, want)
	}
	if got, want := way(0), [][2]uint32{head, no, rest}; !slices.Equal(got, want) {
		t.Errorf("f(0) runs %v, want %v", got, want)
	}
}

func TestBlocksOfAFunctionFollowEachOther(t *testing.T) {
	for seed := range uint64(100) {
		m := rewriteText(t, generate(seed), coveredConformance)
		last := map[uint32]uint32{}
		for i, b := range m.Blocks {
			if b.From >= b.To || b.From < last[b.Function] {
				t.Fatalf("seed %d: block %d of function %d is from %d to %d, after one to %d", seed, i, b.Function, b.From, b.To, last[b.Function])
			}
			last[b.Function] = b.To
		}
	}
}
