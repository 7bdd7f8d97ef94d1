package harness_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// theft returns a bank of examples/doublewithdraw with an account of 100 and a vault, and k withdrawals of 100.
func theft(t testing.TB, bank string, k int) (*real.Stage, *harness.Setup) {
	t.Helper()
	s, c := campaigntest.Theft(t, replica.Config{Engine: canistertest.SharedEngine(t)}, bank, k)
	return s, &c.Setup
}

// begin returns a run of all operations.
func begin(t testing.TB, setup *harness.Setup, plan harness.Plan) *harness.Run {
	t.Helper()
	l := newHarness(t, setup)
	r := l.Begin(plan)
	t.Cleanup(r.Close)
	return r
}

func newHarness(t testing.TB, setup *harness.Setup) *harness.Harness {
	t.Helper()
	l, err := harness.New(setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// paidOut returns what the vault of a run has paid.
func paidOut(t testing.TB, s *real.Stage, r *harness.Run) uint64 {
	t.Helper()
	reply, err := r.Query(&harness.Query{Canister: s.ID("vault"), Sender: principal.Anonymous, Method: "paidOut", Arg: s.Args("()")})
	if err != nil {
		t.Fatal(err)
	}
	var paid uint64
	if err := candid.UnmarshalFit(reply, &paid); err != nil {
		t.Fatal(err)
	}
	return paid
}

// fifo drives a run to its end.
func fifo(t testing.TB, r *harness.Run) {
	t.Helper()
	if !search.Drive(r, search.FIFO, 1000) {
		t.Fatal("the run does not come to rest")
	}
}
