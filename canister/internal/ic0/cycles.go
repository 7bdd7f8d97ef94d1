package ic0

import "github.com/canisterd/canisterd/intercanister/cycles"

// cyclesFunctions read and move cycles.
func cyclesFunctions() []function {
	return []function{
		{name: "msg_cycles_available", results: "l", where: earning, cost: flat(plain), narrow: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Offered)
		}},
		{name: "msg_cycles_available128", params: "p", where: earning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_available128", s[0], x.Offered)
		}},
		{name: "msg_cycles_refunded", results: "l", where: refunded, cost: flat(plain), narrow: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Refunded)
		}},
		{name: "msg_cycles_refunded128", params: "p", where: refunded, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_refunded128", s[0], x.Refunded)
		}},
		{name: "msg_cycles_accept", params: "l", results: "l", where: earning, cost: flat(plain), narrow: true, body: func(x *Execution, s []uint64) {
			s[0] = x.accept(cycles.Of(s[0])).Lo
		}},
		{name: "msg_cycles_accept128", params: "llp", where: earning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_accept128", s[2], x.accept(cycles.Amount{Hi: s[0], Lo: s[1]}))
		}},
		{name: "cycles_burn128", params: "llp", where: burning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			amount := cycles.Amount{Hi: s[0], Lo: s[1]}.Min(x.liquid())
			x.Balance, x.Burned = x.Balance.Sub(amount), x.Burned.Add(amount)
			x.putAmount("ic0_cycles_burn128", s[2], amount)
		}},
		{name: "canister_cycle_balance", results: "l", where: anywhere, cost: flat(plain), narrow: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Balance)
		}},
		{name: "canister_cycle_balance128", params: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_canister_cycle_balance128", s[0], x.Balance)
		}},
		{name: "canister_liquid_cycle_balance128", params: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_canister_liquid_cycle_balance128", s[0], x.liquid())
		}},
	}
}

// accept takes up to limit of what the call context offers.
func (x *Execution) accept(limit cycles.Amount) cycles.Amount {
	amount := limit.Min(x.Offered)
	x.Offered = x.Offered.Sub(amount)
	x.Accepted, x.Balance = x.Accepted.Add(amount), x.Balance.Add(amount)
	return amount
}
