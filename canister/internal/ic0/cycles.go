package ic0

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// cyclesMinting is the cycles minting canister, rkp4c-7iaaa-aaaaa-aaaca-cai: the only one
// that makes cycles.
var cyclesMinting = principal.Canister(4)

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
		{name: "mint_cycles128", params: "llp", where: paying, body: func(x *Execution, s []uint64) {
			if x.ID != cyclesMinting {
				x.misuse("ic0.mint_cycles128 cannot be executed on non Cycles Minting Canister: %s != %s", x.ID, cyclesMinting)
			}
			x.putAmount("ic0_mint_cycles_128", s[2], x.mint(cycles.Amount{Hi: s[0], Lo: s[1]}))
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

// mint adds cycles to the balance, as many as it has room for.
func (x *Execution) mint(amount cycles.Amount) cycles.Amount {
	amount = amount.Min(cycles.Max.Sub(x.Balance))
	x.Balance, x.Minted = x.Balance.Add(amount), x.Minted.Add(amount)
	return amount
}

// accept takes up to limit of what the call context offers.
func (x *Execution) accept(limit cycles.Amount) cycles.Amount {
	amount := limit.Min(x.Offered)
	x.Offered = x.Offered.Sub(amount)
	x.Accepted, x.Balance = x.Accepted.Add(amount), x.Balance.Add(amount)
	return amount
}
