package instance_test

import (
	"context"
	"testing"

	"github.com/canisterd/canisterd/instance"
)

// rounds runs some rounds of an instance that is paced by hand.
func rounds(t *testing.T, i *instance.Instance, n int) {
	t.Helper()
	for range n {
		if _, err := i.Driver().Round(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestANetworkHasARandomIDThatARestoreReplaces(t *testing.T) {
	manual := instance.Pacing{Mode: instance.Manual}
	r, one := first(t, nil, manual)
	seed := one.About().Seed
	other := made(t, r, &instance.Spec{Pacing: manual, Seed: &seed})
	old, ancestors := one.Lineage()
	if len(old) != 32 || len(ancestors) != 0 {
		t.Fatalf("a new network is %q of %v", old, ancestors)
	}
	if same, _ := other.Lineage(); same == old {
		t.Errorf("two networks of a seed have the id %s", same)
	}
	rounds(t, one, 3)
	taken, err := one.TakeSnapshot(t.Context(), "kept", false)
	if err != nil {
		t.Fatal(err)
	}
	rounds(t, one, 2)
	if same, _ := one.Lineage(); same != old {
		t.Errorf("the id changed from %s to %s without a restore", old, same)
	}
	if err := one.Restore(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	second, ancestors := one.Lineage()
	if want := (instance.Ancestor{NetworkID: old, Height: taken.Height}); second == old || len(ancestors) != 1 || ancestors[0] != want {
		t.Errorf("after a restore it is %s of %v, of %s at %d", second, ancestors, old, taken.Height)
	}
	fork, err := r.Fork(t.Context(), &instance.ForkSpec{})
	if err != nil {
		t.Fatal(err)
	}
	third, ancestors := fork.Lineage()
	if third == second || len(ancestors) != 2 || ancestors[1].NetworkID != second {
		t.Errorf("a fork is %s of %v, of %s", third, ancestors, second)
	}
}
