package rewrite

import (
	"context"
	"math/bits"
	"slices"
	"testing"
)

// coveredConformance are the options of modules for coverage.
var coveredConformance = Options{Conformance: true, Coverage: true}

// ranBlocks returns the blocks that ran in an instance.
func ranBlocks(t *testing.T, g *guest) (ran []Block) {
	t.Helper()
	var words []uint64
	count := 0
	for i := range g.module.RanGlobals {
		words = append(words, g.inst.ExportedGlobal(RanGlobal(i)).Get())
		count += bits.OnesCount64(words[i])
	}
	counted, err := g.inst.ExportedFunction(CountRan).Call(context.Background())
	if err != nil || counted[0] != uint64(count) {
		t.Fatalf("%s returns %d, %v; the globals have %d bits", CountRan, counted, err, count)
	}
	for _, b := range g.module.Blocks {
		if words[b.Bit/64]>>(b.Bit%64)&1 != 0 {
			ran = append(ran, b)
		}
	}
	return ran
}

func TestCoverageChangesNothingThatRandomProgramsDo(t *testing.T) {
	t.Parallel()
	both := coveredConformance
	both.Probes = true
	for seed := range uint64(100) {
		for _, o := range []Options{coveredConformance, both} {
			for _, slice := range []int64{1 << 40, 97} {
				g, _ := runAs(t, o, generate(seed), slice, seed)
				if len(ranBlocks(t, g)) == 0 {
					t.Fatalf("seed %d: no block ran", seed)
				}
			}
		}
	}
}

// waysToLeave are functions whose constructs are left in ways that waysToCall does not have.
func waysToLeave() []callShape {
	return []callShape{
		{"a trap in one branch", `local.get 0 i32.const 3 i32.eq if unreachable end i32.const 1`},
		{"both branches return", `local.get 0 if i32.const 1 return else i32.const 2 return end i32.const 3`},
		{"a branch to the end of an if", `local.get 0 if local.get 0 i32.const 2 i32.eq br_if 0 i32.const 1 drop end i32.const 1`},
		{"a branch to the end of an inner block", `block block local.get 0 br_if 0 i32.const 1 drop end i32.const 2 drop end i32.const 1`},
		{"a loop that is left from a branch", `block loop local.get 0 i32.const 1 i32.sub local.tee 0 i32.const 0 i32.lt_s if br 2 end br 0 end end i32.const 1`},
		{"a loop in a branch", `local.get 0 if loop local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end i32.const 1 drop else i32.const 2 drop end i32.const 1`},
		{"a loop with a parameter", `local.get 0 loop (param i32) (result i32) i32.const 1 i32.sub local.tee 0 local.get 0 i32.const 0 i32.gt_s br_if 0 end`},
		{"br_table to the ends of two blocks", `block block local.get 0 i32.const 2 i32.and br_table 0 1 end i32.const 1 drop end i32.const 1`},
		{"a tail call in a branch", `local.get 0 if local.get 0 return_call $g end i32.const 1`},
	}
}

// Blocks share a mark if the same ways lead through them. A mark of its own for each block says what really ran.
func TestBlocksThatShareAMarkRunTogether(t *testing.T) {
	own := coveredConformance
	own.ownMarks = true
	shared := 0
	compare := func(name, text string, slice int64, arg uint64) {
		run := func(o Options) (*guest, error) {
			g := start(t, rewriteText(t, text, o))
			g.reset(slice)
			_, err := g.call("f", arg)
			return g, err
		}
		exact, err := run(own)
		if err != nil {
			return // after a trap, the end of a block has not run, nor what shares its mark
		}
		got, _ := run(coveredConformance)
		spans := func(blocks []Block) (spans [][2]uint32) {
			for _, b := range blocks {
				spans = append(spans, [2]uint32{b.From, b.To})
			}
			slices.SortFunc(spans, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
			return spans
		}
		if got, want := spans(ranBlocks(t, got)), spans(ranBlocks(t, exact)); !slices.Equal(got, want) {
			t.Fatalf("%s: f(%d) runs %v, want %v\n%s", name, arg, got, want, text)
		}
		marks := map[uint32]bool{}
		for _, b := range got.module.Blocks {
			if marks[b.Bit] {
				shared++
			}
			marks[b.Bit] = true
		}
	}
	for _, c := range slices.Concat(waysToCall(), waysToLeave()) {
		for n := range uint64(12) {
			compare(c.name, c.module(), 3, n)
		}
	}
	for seed := range uint64(100) {
		compare("a random program", generate(seed), 1<<40, seed)
	}
	if shared < 500 {
		t.Errorf("%d blocks share a mark: the test compares nothing", shared)
	}
}

// More blocks than the bits of a group of globals need.
func TestEachMarkHasABitOfItsOwn(t *testing.T) {
	seen := map[uint32]bool{}
	for mark := range 3 * groupMarks {
		bit := bitOf(mark)
		if seen[bit] || bit >= 3*groupMarks {
			t.Fatalf("mark %d has bit %d, of %d bits", mark, bit, 3*groupMarks)
		}
		seen[bit] = true
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
		for _, b := range ranBlocks(t, g) {
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
