package charging

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// CheckIngress rejects a user's message of a size in bytes whose fee the canister cannot pay.
func CheckIngress(s *state.State, r *state.Entry, size int, sender principal.Principal) *intercanister.Reject {
	fee := s.Fees.IngressMessage(size)
	if fee.IsZero() {
		return nil
	}
	owed, limit := r.Debit.Add(fee), FreezingLimit(s, r)
	if left, ok := r.Canister.Balance.Take(owed); !ok || left.Less(limit) {
		return rejectOutOfCycles(r.ID(), limit.Add(owed).Sub(r.Canister.Balance), r.Controls(sender))
	}
	return nil
}

// Ingress takes the fee for an accepted message of a user. While a message of the canister runs, its executor owns the
// balance: the fee is owed until the message has ended.
func Ingress(s *state.State, r *state.Entry, size int, sender principal.Principal) *intercanister.Reject {
	fee := s.Fees.IngressMessage(size)
	if r.Running {
		reject := CheckIngress(s, r, size, sender)
		if reject == nil {
			r.Debit = r.Debit.Add(fee)
		}
		return reject
	}
	reject := spend(s, r, fee, sender)
	if reject == nil {
		r.Canister.Consumed.Ingress = r.Canister.Consumed.Ingress.Add(fee)
	}
	return reject
}

// LateIngress takes the fee for a user's message that was executed. It is too late to refuse the message, so the
// balance may go below the freezing limit; at most the whole balance is taken.
func LateIngress(s *state.State, r *state.Entry, size int) {
	fee := s.Fees.IngressMessage(size)
	if r.Running {
		r.Debit = r.Debit.Add(fee)
		return
	}
	c := r.Canister
	fee = fee.Min(c.Balance)
	c.Balance = c.Balance.Sub(fee)
	c.Consumed.Ingress = c.Consumed.Ingress.Add(fee)
}
