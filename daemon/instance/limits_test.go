package instance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

func TestARequestRuns100000RoundsAtMost(t *testing.T) {
	r := NewRegistry(Config{Wall: time.Now})
	t.Cleanup(func() { _ = r.Close() })
	i, err := r.Create(t.Context(), &Spec{Pacing: Pacing{Mode: Manual}})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.RunRounds(over, 100_000); !errors.Is(err, context.Canceled) {
		t.Errorf("100,000 rounds of a client that has gone: %v", err)
	}
	if _, refused := errors.AsType[*Refusal](second(i.RunRounds(over, 100_001))); !refused {
		t.Error("100,001 rounds are not refused")
	}
}

func second(_ Ran, err error) error { return err }

func TestARunWithoutALimitEndsAfterAMillionRounds(t *testing.T) {
	r := NewRegistry(Config{Wall: time.Now})
	t.Cleanup(func() { _ = r.Close() })
	i, err := r.Create(t.Context(), &Spec{Pacing: Pacing{Mode: Manual}})
	if err != nil {
		t.Fatal(err)
	}
	always := Condition{func(*run, *replica.Network) node.Next { return node.Go }}
	for rounds, want := range map[uint64]node.Next{999_999: node.Go, 1_000_000: node.Stop} {
		got, err := Look(t.Context(), i, func(n *replica.Network) node.Next {
			r := i.newRun(always, 0)
			r.rounds = rounds
			return r.next(n)
		})
		if err != nil || got != want {
			t.Errorf("after %d rounds it wants %d, %v", rounds, got, err)
		}
	}
}
