package replica_test

import (
	"fmt"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/model"
)

// compare compares everything there is to see of every canister.
func (w *twin) compare() {
	for i := range w.View().Subnets {
		open := w.Open(i)
		if s := w.world.Subnets[i]; len(open) != s.Canisters() || w.Commands(i) != s.Commands() {
			w.wrong("subnet %d: %d canisters and %d management calls, want %d and %d", i, len(open), w.Commands(i), s.Canisters(), s.Commands())
		}
		for j := range open {
			o := &open[j]
			id := w.id(o.ID)
			want, ok := w.world.Observe(id)
			if !ok {
				w.wrong("canister %d should not be there", id)
				continue
			}
			got := observed(w.Canister(o.ID), o)
			if got.Running { // its message shows what it did when it is over
				got.Count, want.Count = 0, 0
			}
			if got != want {
				w.wrong("canister %d:\ngot  %+v\nwant %+v", id, got, want)
			}
		}
	}
}

func observed(c *canister.Canister, o *replica.Open) model.Observed {
	return model.Observed{
		Status: model.Status(c.Status), Version: c.Version, Balance: small(c.Balance.Add(o.Credit)), Debit: small(o.Debit),
		Paid: small(c.Consumed.Total()), Count: replicatest.Count(c), Timer: c.Timer, Code: c.Installed != 0, Running: o.Running,
		Contexts: o.Contexts, Calls: o.Calls, Ingress: o.Ingress, Responses: o.Responses, Requests: o.Requests, Slots: o.Slots, Owed: o.Owed,
	}
}

// small is an amount in 64 bits.
func small(a cycles.Amount) uint64 {
	if a.Hi != 0 {
		panic("more cycles than a test has: " + a.String())
	}
	return a.Lo
}

// audit compares where all the cycles are, and whether they are all there.
func (w *twin) audit() {
	t, want := w.Introspect().AuditCycles(), w.world.Totals()
	got := model.Totals{
		Balances: small(t.Balances), Attached: small(t.Attached), Available: small(t.Available), Deferred: small(t.Deferred),
		Prepaid: small(t.Prepaid), Refunds: small(t.Refunds), Consumed: small(t.Consumed), Deleted: small(t.Deleted),
		Lost: small(t.Lost), Minted: small(t.Minted),
	}
	if got != want {
		w.wrong("cycles:\ngot  %+v\nwant %+v", got, want)
	}
	if !balanced(&t) {
		w.wrong("the books do not balance by %d: %s", small(t.Held().Add(t.Spent()))-small(t.Minted), fmt.Sprintf("%+v", t))
	}
}
