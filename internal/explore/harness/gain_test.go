package harness_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/test/canistertest"
)

// B accepts 1,000 of 5,000 cycles. Fees differ from run to run, and what A gives is what B gets, under each fault.
func TestWhatOneCanisterGivesAwayTheOtherGets(t *testing.T) {
	s, setup := scripted(t, minute, `call B.run(drop accept(1_000); reply "x") cycles 5_000 on-reply(reply "y") on-reject(reply "no") within 10`)
	setup.Waits = 2
	setup.Upgrades = map[principal.Principal]harness.NextModule{s.ID("A"): {Module: canistertest.Variant{}.Module(), Arg: []byte{}}}
	_, r := answered(t, setup, nil)
	plans := []harness.Plan{nil, {{At: "op1/1.request", Kind: harness.Silent}}}
	for i := range r.Steps() {
		for _, f := range setup.Possible(r.Steps()[i]) {
			plans = append(plans, harness.Plan{f})
		}
	}
	paid := map[string]int{}
	for _, plan := range plans {
		_, r := answered(t, setup, plan)
		a, b := r.Gain(s.ID("A")), r.Gain(s.ID("B"))
		switch {
		case len(plan) > 0 && plan[0].Kind == harness.Silent:
			if r.Settled() && a.Sign() != 0 {
				t.Errorf("A waits for B forever, and gains %s", a)
			}
			continue
		case !r.Settled():
			t.Errorf("%v: a call is open", plan)
		case a.Sign() > 0 || a.CmpAbs(b) != 0 || b.Sign() < 0:
			t.Errorf("%v: A gains %s and B gains %s", plan, a, b)
		}
		paid[b.String()]++
	}
	if len(plans) < 15 || paid["0"] < 6 || paid["1000"] < 6 || len(paid) != 2 {
		t.Errorf("in %d runs B gains %v", len(plans), paid)
	}
	if r.Gain(principal.Anonymous) != nil {
		t.Error("what is not a canister gains cycles")
	}
}
