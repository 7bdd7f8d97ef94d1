package management

import (
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

func TestDepositedCyclesAllArrive(t *testing.T) {
	r := newRig(t)
	other := r.add(2, bob)
	c := r.byCanister(other, 1_000, "deposit_cycles", idArg{r.target.ID()})
	r.replied(c)
	if !c.Attached.IsZero() || r.target.Canister.Balance != cycles.Of(1_000_000_001_000) {
		t.Errorf("refund %s, balance %s", c.Attached, r.target.Canister.Balance)
	}
	if r.target.Canister.Version != 0 || r.target.Canister.History.Total != 0 {
		t.Error("a deposit is no change of the canister")
	}
	r.rejected(r.byCanister(other, 9, "deposit_cycles", idArg{nowhere}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
}

func TestCyclesForARunningCanisterWaitForItsMessage(t *testing.T) {
	r := newRig(t)
	r.target.Running = true
	r.replied(r.byCanister(r.target, 10, "deposit_cycles", idArg{r.target.ID()}))
	r.replied(r.byUser(bob, "provisional_top_up_canister", topUpArg{r.target.ID(), *nat(20)}))
	if r.target.DeferredCredit != cycles.Of(30) || r.target.Canister.Balance != cycles.Of(1_000_000_000_000) {
		t.Errorf("credit %s, balance %s", r.target.DeferredCredit, r.target.Canister.Balance)
	}
}

func TestATopUpMakesCyclesOutOfNothing(t *testing.T) {
	r := newRig(t)
	c := r.byCanister(r.target, 50, "provisional_top_up_canister", topUpArg{r.target.ID(), *nat(7)})
	r.replied(c)
	if r.target.Canister.Balance != cycles.Of(1_000_000_000_007) || c.Attached != cycles.Of(50) {
		t.Errorf("balance %s, refund %s", r.target.Canister.Balance, c.Attached)
	}
	r.rejected(r.byUser(bob, "provisional_top_up_canister", topUpArg{nowhere, *nat(7)}), intercanister.CanisterNotFound, "Canister "+nowhere.String()+" not found.")
	r.replied(r.byUser(bob, "provisional_top_up_canister", topUpArg{r.target.ID(), *big(128)}))
	if r.target.Canister.Balance != cycles.Of(1_000_000_000_007+DefaultProvisionalBalance) {
		t.Errorf("balance %s after an amount that is too large for 128 bits", r.target.Canister.Balance)
	}
}
