package state

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

func TestDebitsAreWorkedOffByRoundsAndBySeconds(t *testing.T) {
	limits := &canister.Limits{HeapDelta: 100, InstallRate: 1000}
	for _, c := range []struct {
		rounds, seconds uint64
		heap, install   uint64
	}{{0, 0, 350, 3500}, {1, 0, 250, 2500}, {3, 0, 50, 500}, {0, 2, 150, 1500}, {2, 1, 150, 1500}, {4, 0, 0, 0}, {0, 1_000_000, 0, 0}} {
		s := &State{Height: 7, Time: 5_000_000_000}
		r := s.Add(canister.New(principal.Canister(1), 0, canister.DefaultSettings()))
		s.Change(r, 350, limits)
		s.Owed(r, limits).Install += 3500
		s.Height += c.rounds
		s.Time += c.seconds * 1_000_000_000
		if d := s.Owed(r, limits); d.HeapDelta != c.heap || d.Install != c.install {
			t.Errorf("after %d rounds and %d seconds a canister owes %+v, want %d and %d", c.rounds, c.seconds, *d, c.heap, c.install)
		}
		s.Unthrottle(limits)
		if blocked := c.heap >= limits.HeapDelta; r.Mailbox.Blocked != blocked {
			t.Errorf("after %d rounds and %d seconds the mailbox is blocked: %v, want %v", c.rounds, c.seconds, r.Mailbox.Blocked, blocked)
		}
	}
}

func TestACanisterThatIsGoneIsNotThrottled(t *testing.T) {
	limits := &canister.Limits{HeapDelta: 100}
	s := &State{}
	r := s.Add(canister.New(principal.Canister(1), 0, canister.DefaultSettings()))
	s.Change(r, 350, limits)
	s.Remove(r)
	s.Height += 10
	s.Unthrottle(limits)
	if !r.Mailbox.Blocked || len(s.throttled) != 0 {
		t.Errorf("the mailbox of a canister that is gone is blocked: %v; %d canisters wait", r.Mailbox.Blocked, len(s.throttled))
	}
	s.Change(r, 350, limits)
	if len(s.throttled) != 0 {
		t.Error("a canister that is gone waits")
	}
}
