package charging

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// CheckIngress returns the fee for a user's message of a size in bytes, or rejects the message if the canister cannot pay
// it.
func CheckIngress(s *state.State, r *state.Entry, size int, sender principal.Principal) (cycles.Amount, *intercanister.Reject) {
	fee := s.Fees.IngressMessage(size)
	if fee.IsZero() {
		return fee, nil
	}
	owed, limit := r.Debit.Add(fee), FreezingLimit(s, r)
	if left, ok := r.Canister.Balance.Take(owed); !ok || left.Less(limit) {
		return fee, rejectOutOfCycles(r.ID(), limit.Add(owed).Sub(r.Canister.Balance), r.Controls(sender))
	}
	return fee, nil
}

// Ingress takes the fee for an accepted message of a user, which the canister can pay. While a message of the canister
// runs, its executor owns the balance: the fee is owed until the message has ended.
func Ingress(r *state.Entry, fee cycles.Amount) {
	if r.Running {
		r.Debit = r.Debit.Add(fee)
		return
	}
	c := r.Canister
	c.Balance = c.Balance.Sub(fee)
	c.Consumed.Ingress = c.Consumed.Ingress.Add(fee)
}

// LateIngress takes the fee for a user's message that was executed. It is too late to refuse the message, so the
// balance may go below the freezing limit; at most the whole balance is taken.
func LateIngress(s *state.State, r *state.Entry, size int) {
	fee := s.Fees.IngressMessage(size)
	if !r.Running {
		fee = fee.Min(r.Canister.Balance)
	}
	Ingress(r, fee)
}
