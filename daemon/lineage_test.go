package daemon

import (
	"context"
	"testing"

	"github.com/canisterd/canisterd/daemon/instance"
)

// rounds runs some rounds of an instance that is paced by hand.
func rounds(t *testing.T, i *member, n int) {
	t.Helper()
	for range n {
		if _, err := i.node.Round(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestANetworkHasARandomIDThatARestoreReplaces(t *testing.T) {
	d := started(t, Config{Pacing: Manual, Seed: []byte{7}})
	other := started(t, Config{Pacing: Manual, Seed: []byte{7}})
	first, ancestors := d.first.Lineage()
	if len(first) != 2*networkIDBytes || len(ancestors) != 0 {
		t.Fatalf("a new network is %q of %v", first, ancestors)
	}
	if same, _ := other.first.Lineage(); same == first {
		t.Errorf("two networks of a seed have the id %s", same)
	}
	rounds(t, d.first, 3)
	taken, err := d.first.TakeSnapshot(t.Context(), "kept", false)
	if err != nil {
		t.Fatal(err)
	}
	rounds(t, d.first, 2)
	if same, _ := d.first.Lineage(); same != first {
		t.Errorf("the id changed from %s to %s without a restore", first, same)
	}
	if err := d.first.Restore(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	second, ancestors := d.first.Lineage()
	if want := (instance.Ancestor{NetworkID: first, Height: taken.Height}); second == first || len(ancestors) != 1 || ancestors[0] != want {
		t.Errorf("after a restore it is %s of %v, of %s at %d", second, ancestors, first, taken.Height)
	}
	fork, err := d.Fork(t.Context(), &instance.ForkSpec{})
	if err != nil {
		t.Fatal(err)
	}
	third, ancestors := fork.Lineage()
	if third == second || len(ancestors) != 2 || ancestors[1].NetworkID != second {
		t.Errorf("a fork is %s of %v, of %s", third, ancestors, second)
	}
}

func TestALineageKeepsTheOldestNetworkAndTheNewest(t *testing.T) {
	if MaxAncestors != 1000 {
		t.Errorf("an instance remembers %d networks, want 1000", MaxAncestors)
	}
	var l lineage
	l.begin(nil)
	oldest := l.id
	for height := range uint64(MaxAncestors) + 5 {
		l.begin(l.at(height))
	}
	if n := len(l.ancestors); n != MaxAncestors || l.ancestors[0].NetworkID != oldest || l.ancestors[1].Height != 6 || l.ancestors[n-1].Height != MaxAncestors+4 {
		t.Errorf("%d ancestors, from %v and %v to %v", n, l.ancestors[0], l.ancestors[1], l.ancestors[n-1])
	}
}
