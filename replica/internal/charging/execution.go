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
		x.Prepaid = s.Fees.Execution(x.Limit, x.Memory64)
	case x.Memory64:
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
	giveBack(x, Unused(s, x, instructions))
}

func giveBack(x *state.Execution, back cycles.Amount) {
	x.Entry.Give(back)
	paid := &x.Entry.Canister.Consumed.Instructions
	*paid = paid.Sub(back)
}

// PrepayCallback adjusts what a canister paid for a callback when it made the call to the price of the longest callback
// in the width of the code that it has now: what is missing is taken, what is too much is given back. The freezing limit
// does not apply: when it made the call, the canister undertook to run the callback. If the balance is too small,
// nothing is taken, and the callback must not run.
func PrepayCallback(s *state.State, x *state.Execution, longest *Longest) *intercanister.Reject {
	x.Limit = s.Limits.Message
	due := longest[0]
	if x.Memory64 {
		due = longest[1]
	}
	c := x.Entry.Canister
	left, ok := c.Balance.Add(x.Prepaid).Take(due)
	if !ok {
		return intercanister.Rejectf(intercanister.CanisterContractViolation,
			"Error from Canister %s: Canister %s is out of cycles", c.ID, c.ID)
	}
	c.Consumed.Instructions = c.Consumed.Instructions.Add(due).Sub(x.Prepaid)
	c.Balance, x.Prepaid = left, due
	return nil
}

// RefundCallback returns what was paid for a callback that does not run, except the fee that every message costs: that
// is the same in both widths.
func RefundCallback(s *state.State, x *state.Execution) {
	giveBack(x, x.Prepaid.Sub(s.Fees.Execution(0, x.Memory64).Min(x.Prepaid)))
}

// Unused returns the unused part of the prepayment of a message that ran so many instructions.
func Unused(s *state.State, x *state.Execution, instructions uint64) cycles.Amount {
	left := x.Limit - min(x.Limit, instructions)
	return s.Fees.ExecutionRefund(left, x.Memory64).Min(x.Prepaid)
}
