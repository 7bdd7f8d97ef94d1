package charging

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Longest is the price of the longest execution of a message, by whether its canister has a 64-bit memory.
type Longest [2]cycles.Amount

// LongestOf computes the price for the fees and the limits of a subnet.
func LongestOf(s *state.State) (price Longest) {
	for i := range price {
		price[i] = s.Fees.Execution(s.Limits.Message, i == 1)
	}
	return price
}

// Prepay takes the price of the longest execution of a message. If the message has its own limit, like a replicated
// query, the limit must be set before. The message is rejected with IC0207 if its canister cannot pay.
func Prepay(s *state.State, x *state.Execution, longest *Longest, payer principal.Principal) *intercanister.Reject {
	switch {
	case x.Limit != 0:
		x.Prepaid = s.Fees.Execution(x.Limit, x.Wide)
	case x.Wide:
		x.Limit, x.Prepaid = s.Limits.Message, longest[1]
	default:
		x.Limit, x.Prepaid = s.Limits.Message, longest[0]
	}
	reject := spend(s, x.Entry, x.Prepaid, payer)
	if reject == nil {
		paid := &x.Entry.Canister.Consumed.Instructions
		*paid = paid.Add(x.Prepaid)
	}
	return reject
}

// Refund returns the unused part of the prepayment of a message that ran so many instructions.
func Refund(s *state.State, x *state.Execution, instructions uint64) {
	back := Unused(s, x, instructions)
	x.Entry.Give(back)
	paid := &x.Entry.Canister.Consumed.Instructions
	*paid = paid.Sub(back)
}

// Unused returns the unused part of the prepayment of a message that ran so many instructions.
func Unused(s *state.State, x *state.Execution, instructions uint64) cycles.Amount {
	left := x.Limit - min(x.Limit, instructions)
	return s.Fees.ExecutionRefund(left, x.Wide).Min(x.Prepaid)
}
