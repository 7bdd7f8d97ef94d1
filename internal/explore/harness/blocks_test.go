package harness_test

import (
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestMessagesThatRunTheSameBlocksShareThem(t *testing.T) {
	_, setup := theft(t, "bank", 2)
	setup.Blocks = true
	l := newHarness(t, setup)
	byMove := func() map[string]*harness.Step {
		r := l.Begin(nil)
		defer r.Close()
		fifo(t, r)
		all := map[string]*harness.Step{}
		for _, s := range r.Steps() {
			if len(s.Blocks) != 1 || len(s.Blocks[0].Bits) == 0 {
				t.Fatalf("%s ran blocks of %d modules", s.Move, len(s.Blocks))
			}
			all[s.Move] = s
		}
		return all
	}
	first, again := byMove(), byMove()
	for move, s := range first {
		if s.Blocks[0] != again[move].Blocks[0] {
			t.Errorf("%s ran other blocks in a second run of the same order", move)
		}
	}
	if bank, vault := first["op1"].Blocks[0], first["op1/1.request"].Blocks[0]; bank.Module == vault.Module {
		t.Error("bank and vault have the same module")
	}
	if first["op1"].Blocks[0] == first["op1/1.reply"].Blocks[0] {
		t.Error("a call and its callback ran the same blocks")
	}
}

func TestQueriesBetweenMessagesAddNoBlocks(t *testing.T) {
	s, setup := theft(t, "bank", 1)
	setup.Blocks = true
	run := func(asked bool) (all []*harness.Blocks) {
		r := begin(t, setup, nil)
		for moves := r.Moves(); len(moves) > 0; moves = r.Moves() {
			if asked {
				paidOut(t, s, r)
			}
			r.Take(0)
		}
		for _, step := range r.Steps() {
			all = append(all, step.Blocks...)
		}
		return all
	}
	plain, asked := run(false), run(true)
	for i := range plain {
		if len(plain[i].Bits) != len(asked[i].Bits) {
			t.Errorf("message %d ran %d blocks, and %d after a query", i+1, len(plain[i].Bits), len(asked[i].Bits))
		}
	}
}

func TestWithoutTheSettingNoBlocksAreRecorded(t *testing.T) {
	_, setup := theft(t, "bank", 1)
	r := begin(t, setup, nil)
	fifo(t, r)
	for _, s := range r.Steps() {
		if s.Blocks != nil {
			t.Errorf("%s has blocks", s.Move)
		}
	}
}
