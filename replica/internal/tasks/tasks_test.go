package tasks

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// code has all tasks, or none.
type code bool

func (c code) Has(*canister.Canister, canister.Context) bool { return bool(c) }
func (c code) Empty(*canister.Canister) bool                 { return !bool(c) }
func (c code) Memory64(*canister.Canister) bool              { return false }

// running is a running canister on a subnet at 5 ns.
func running() (*state.State, *state.Entry) {
	s := &state.State{Time: 5}
	r := s.Add(canister.New(principal.Canister(1), 0, canister.DefaultSettings()))
	r.Canister.Status = canister.Running
	return s, r
}

func TestATaskThatAFrozenCanisterCannotPayForIsTriedAgainAfterASecond(t *testing.T) {
	for _, task := range []intercanister.Task{intercanister.GlobalTimer, intercanister.LowMemory} {
		s, r := running()
		if Retry(s, r, task); s.Deadlines.Len() != 1 {
			t.Errorf("%s: there are %d deadlines", task, s.Deadlines.Len())
		}
		if at, _ := s.Deadlines.Next(); at != 1_000_000_005 {
			t.Errorf("%s: it is tried again at %d ns", task, at)
		}
	}
}

func TestATimerThatIsDueFiresWhenItsCanisterIsStarted(t *testing.T) {
	s, r := running()
	r.Canister.Timer, r.Canister.Status = 3, canister.Stopped
	Refresh(s, code(true), r)
	if _, due := s.Deadlines.Pop(s.Time); !due || FireTimer(s, code(true), r.ID()) || r.Mailbox.Len() != 0 {
		t.Fatal("the timer of a stopped canister has fired, or is not due")
	}
	r.Canister.Status = canister.Running
	Resume(s, code(true), r)
	if _, due := s.Deadlines.Pop(s.Time); !due || !FireTimer(s, code(true), r.ID()) || r.Mailbox.Len() != 1 {
		t.Error("the timer has not fired")
	}
	if !Runs(s, code(true), r, intercanister.GlobalTimer) || Runs(s, code(false), r, intercanister.GlobalTimer) {
		t.Error("a timer that is due runs if there is code for it")
	}
	if r.Canister.Timer = 6; Runs(s, code(true), r, intercanister.GlobalTimer) {
		t.Error("a timer runs that was set to a later time")
	}
}

func TestOnlyRunningCanistersHaveHeartbeats(t *testing.T) {
	s, r := running()
	Refresh(s, code(true), r)
	r.Canister.Status = canister.Stopping
	if QueueHeartbeats(s); r.Mailbox.Len() != 0 {
		t.Error("a heartbeat of a stopping canister")
	}
	r.Canister.Status = canister.Running
	if QueueHeartbeats(s); r.Mailbox.Len() != 1 {
		t.Error("no heartbeat")
	}
}
