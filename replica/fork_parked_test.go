package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// lines are the log of a canister.
func lines(s *real.Stage, name string) (all []string) {
	logs := &s.Canister(s.ID(name)).Logs
	for i := range logs.Len() {
		r := logs.At(i)
		all = append(all, string(rune('0'+r.Index))+" "+printed(r.Content))
	}
	return all
}

func printed(b []byte) string {
	text := make([]byte, 0, 2*len(b))
	for _, c := range b {
		text = append(text, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return string(text)
}

// A callback that is parked, during which its canister is asked to stop, fails, and its
// cleanup closure, which sees the canister stopping, is parked too. Forks of every moment
// see what their source has seen.
func TestAMessageThatRestartsInAForkSeesTheStateOfItsFirstRun(t *testing.T) {
	s := real.NewStage(t, replica.Config{SliceInstructions: 2_000_000})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	s.Submit("A", "run", compiled(t, s, `print "first"; call B.run(reply "x")
		on-reply(print "callback " + version; spin 2_000_000; print "still " + version; trap "late")
		on-cleanup(print "cleanup " + version; spin 2_000_000; print "over " + version; set add(get, 1))`))
	s.Submit("B", "run", compiled(t, s, `set 3; reply "x"`))
	var forks []*real.Stage
	for round := 0; round < 3 || s.Activity().HasDueWork; round++ {
		if round > 200 {
			t.Fatal("the messages do not end")
		}
		forks = append(forks, s.Fork(replica.ForkConfig{}))
		if round == 4 {
			for _, f := range append(forks, s) {
				f.SubmitManagement("A", "stop_canister", f.About("A", ""))
			}
		}
		s.Round()
		if round%3 == 1 { // the others begin again later
			for _, f := range forks {
				f.Round()
			}
		}
	}
	if len(forks) < 12 {
		t.Fatalf("there were %d rounds", len(forks))
	}
	want := lines(s, "A")
	for i, f := range forks[5:] { // from the moment of the stop on the inputs were the same
		for f.View().Height < s.View().Height {
			f.Round()
		}
		got := lines(f, "A")
		if len(got) != len(want) {
			t.Fatalf("fork %d has the log\n%q, want\n%q", i, got, want)
		}
		for at := range got {
			if got[at] != want[at] {
				t.Errorf("line %d of fork %d is %s, want %s", at, i, got[at], want[at])
			}
		}
		if stateHash(t, f.Network) != stateHash(t, s.Network) {
			t.Errorf("fork %d has another state than its source", i)
		}
	}
}

// The source and its fork are compared while the call of the message that began again is open.
func TestAMessageOfAPuppetThatAForkBeginsAgainGivesItsCallTheSameNumbers(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 2_000_000})
	s.Create(2, plenty)
	s.Submit(0, "run", "call 1 (spend 90000000 reply x) then (reply a) else (reply b) spend 4000000")
	s.Round()
	if calls, _ := s.Introspect().Futures(introspect.Page{}); len(calls) > 0 {
		t.Fatal("the message is over after one round")
	}
	f := s.Fork(replica.ForkConfig{})
	for range 4 {
		s.Round()
		f.Round()
	}
	if calls, _ := s.Introspect().Futures(introspect.Page{}); len(calls) != 1 {
		t.Fatalf("%d calls are open, want 1", len(calls))
	}
	if stateHash(t, s.Network) != stateHash(t, f.Network) {
		t.Error("the fork has another state than its source")
	}
}
