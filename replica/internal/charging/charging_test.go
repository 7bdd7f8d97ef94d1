package charging

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// resident is a canister with a compute allocation, which makes it pay as time passes, on a subnet that charges.
func resident(balance uint64) (*state.State, *state.Entry) {
	s := &state.State{Fees: cycles.Application(13)}
	settings := canister.DefaultSettings()
	settings.ComputeAllocation = 1
	c := canister.New(principal.Canister(1), 0, settings)
	c.Balance = cycles.Of(balance)
	return s, s.Add(c)
}

func TestReservedCyclesLowerTheFreezingLimit(t *testing.T) {
	s, r := resident(0)
	limit := FreezingLimit(s, r)
	for _, reserved := range []uint64{5, 5, 0} {
		r.Canister.Reserved = cycles.Of(reserved)
		if got, want := FreezingLimit(s, r), limit.Sub(cycles.Of(reserved)); limit.IsZero() || got != want {
			t.Errorf("with %d reserved cycles the limit is %s, want %s", reserved, got, want)
		}
	}
}

func TestAMessageIsPaidForAboveTheFreezingLimitUnlessItIsLate(t *testing.T) {
	s, r := resident(0)
	fee := s.Fees.IngressMessage(10)
	r.Canister.Balance = FreezingLimit(s, r).Add(fee).Sub(cycles.Of(1))
	if _, reject := CheckIngress(s, r, 10, principal.Anonymous); reject == nil {
		t.Error("a message was taken for which a cycle is missing")
	}
	r.Canister.Balance = FreezingLimit(s, r).Add(fee)
	got, reject := CheckIngress(s, r, 10, principal.Anonymous)
	if Ingress(r, got); reject != nil || r.Canister.Balance != FreezingLimit(s, r) {
		t.Errorf("%v, and %s are left", reject, r.Canister.Balance)
	}
	LateIngress(s, r, 10)
	if r.Canister.Balance != FreezingLimit(s, r).Sub(fee) || r.Canister.Consumed.Ingress != fee.Add(fee) {
		t.Errorf("%s are left of %s", r.Canister.Balance, FreezingLimit(s, r))
	}
}

func TestACanisterPaysFromItsReservationFirst(t *testing.T) {
	s, r := resident(1_000_000_000)
	r.Canister.Reserved, s.Time = cycles.Of(100), state.Second
	if !Resources(s, r) || !r.Canister.Reserved.IsZero() || r.Canister.Balance == cycles.Of(1_000_000_000) {
		t.Errorf("%s and %s reserved are left", r.Canister.Balance, r.Canister.Reserved)
	}
	r.Canister.Balance, s.Time = cycles.Amount{}, 2*state.Second
	if Resources(s, r) {
		t.Error("a canister without cycles has paid")
	}
}
