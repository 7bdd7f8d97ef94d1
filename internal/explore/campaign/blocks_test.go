package campaign

import (
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestBlocksAreCountedOnceAndByModule(t *testing.T) {
	var s blockSet
	ran := func(module byte, bits ...uint32) []*harness.Step {
		return []*harness.Step{{Blocks: []*harness.Blocks{{Module: [32]byte{module}, Bits: bits}}}}
	}
	for _, c := range []struct {
		steps []*harness.Step
		added bool
		count int
	}{
		{ran(1, 0, 63, 64), true, 3},
		{ran(1, 63), false, 3},
		{ran(2, 63), true, 4},
		{ran(1, 1000), true, 5},
		{nil, false, 5},
	} {
		if added := s.addAll(c.steps); added != c.added || s.count != c.count {
			t.Errorf("%t and %d blocks, want %+v", added, s.count, c)
		}
	}
}

func TestARunIsKeptForANewBlock(t *testing.T) {
	all := steps("op1", "op2")
	g := newGuide(all)
	again := steps("op1", "op2")
	again[1].Blocks = []*harness.Blocks{{Bits: []uint32{7}}}
	if !g.learn(&outcome{steps: again}) || g.learn(&outcome{steps: again}) {
		t.Error("a run with a new block is not kept, or kept twice")
	}
}
