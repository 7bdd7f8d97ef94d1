package state

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// populated is a set of canisters in several blocks.
func populated(n uint64) *Canisters {
	s := new(State)
	for i := range n {
		s.Add(canister.New(principal.Canister(i), 0, canister.Settings{}))
	}
	return &s.Canisters
}

// apart is how many blocks a set has for itself.
func apart(s *Canisters) (n int) {
	for i := range s.blocks {
		if s.blocks[i].shared == nil {
			n++
		}
	}
	return n
}

func TestUnusedCanistersStaySharedWithAFork(t *testing.T) {
	source := populated(3*blockLen + 1)
	fork := source.fork()
	seen := 0
	for _, s := range []*Canisters{source, &fork} {
		s.Read(func(*Entry) { seen++ })
	}
	if seen != 2*source.Len() || apart(source) != 0 || apart(&fork) != 0 {
		t.Errorf("%d canisters were seen, source and fork have %d and %d of 4 blocks for themselves", seen, apart(source), apart(&fork))
	}
	id := principal.Canister(blockLen)
	if fork.Get(id) == source.Get(id) || apart(source) != 1 || apart(&fork) != 1 {
		t.Errorf("source and fork have the same canister, or %d and %d blocks for themselves", apart(source), apart(&fork))
	}
	if page := fork.After(id, 2); len(page) != 2 || page[0].ID() != principal.Canister(blockLen+1) || apart(&fork) != 1 {
		t.Errorf("after a canister are %d others, and %d blocks were copied for them", len(page), apart(&fork))
	}
}

func TestABlockOfThirtyTwoCanistersIsCopiedAtOnce(t *testing.T) {
	source := populated(100)
	fork := source.fork()
	for i, number := range []uint64{32, 63, 31, 64} {
		fork.Get(principal.Canister(number))
		if got, want := apart(&fork), []int{1, 1, 2, 3}[i]; got != want {
			t.Errorf("with canister %d the fork has %d blocks for itself, want %d", number, got, want)
		}
	}
}

// The source leaves one copy when it goes on; the last fork takes it.
func TestABlockIsCopiedAtMostOncePerNetwork(t *testing.T) {
	source := populated(1)
	id := principal.Canister(0)
	first, second := source.fork(), source.fork()
	source.Get(id).Charged = 1
	left := first.blocks[0].shared.copied[0]
	if got := first.Get(id); got == left || got.Charged != 0 {
		t.Errorf("a fork has taken the block that another still needs, or Charged is %d", got.Charged)
	}
	if got := second.Get(id); got != left {
		t.Error("the last fork has copied a block that no other needs")
	}
	if source.blocks[0].shared != nil {
		t.Error("the source thinks that a fork needs its shared block")
	}
}

// A slot that is free again is given to the next canister, in source and fork independently.
func TestSourceAndForkReuseTheirOwnSlots(t *testing.T) {
	source := populated(5)
	source.remove(source.Get(principal.Canister(4)))
	fork := source.fork()
	for i, s := range []*Canisters{source, &fork} {
		s.add(&Entry{Canister: canister.New(principal.Canister(5), 0, canister.Settings{})})
		s.remove(s.Get(principal.Canister(uint64(i))))
	}
	for i, s := range []*Canisters{source, &fork} {
		s.add(&Entry{Canister: canister.New(principal.Canister(6), 0, canister.Settings{})})
		var seen []principal.Principal
		for r := range s.All() {
			seen = append(seen, r.ID())
		}
		gone := principal.Canister(uint64(i))
		if len(seen) != 5 || len(slices.Compact(seen)) != 5 || !slices.IsSortedFunc(seen, principal.Principal.Compare) || slices.Contains(seen, gone) {
			t.Errorf("network %d has the canisters %s", i, seen)
		}
	}
}
