package ic0

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// cyclesMinting is the cycles minting canister, rkp4c-7iaaa-aaaaa-aaaca-cai: the only one that makes cycles.
var cyclesMinting = principal.Canister(4)

// cyclesFunctions read and move cycles.
func cyclesFunctions() []function {
	return []function{
		// msg_cycles_available() is how many cycles of the call are still offered. It traps from 2^64 on: "cycles
		// amount exceeds 64-bit representation".
		{name: "msg_cycles_available", results: "l", where: earning, cost: flat(plain), memory32Only: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Offered)
		}},
		// msg_cycles_available128(dst) writes them as 16 bytes, little-endian, as all functions for 128 bits do.
		{name: "msg_cycles_available128", params: "p", where: earning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_available128", s[0], x.Offered)
		}},
		// msg_cycles_refunded() is how many cycles came back with the response; the balance includes them. It traps
		// from 2^64 on.
		{name: "msg_cycles_refunded", results: "l", where: refunded, cost: flat(plain), memory32Only: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Message.Refunded)
		}},
		// msg_cycles_refunded128(dst) writes them.
		{name: "msg_cycles_refunded128", params: "p", where: refunded, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_refunded128", s[0], x.Message.Refunded)
		}},
		// msg_cycles_accept(max) moves cycles of the call to the balance, at most max and at most what is offered: the
		// cycles moved.
		{name: "msg_cycles_accept", params: "l", results: "l", where: earning, cost: flat(plain), memory32Only: true, body: func(x *Execution, s []uint64) {
			s[0] = x.accept(cycles.Of(s[0])).Lo
		}},
		// msg_cycles_accept128(high, low, dst) is msg_cycles_accept of 128 bits; it writes the cycles moved.
		{name: "msg_cycles_accept128", params: "llp", where: earning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_msg_cycles_accept128", s[2], x.accept(cycles.Amount{Hi: s[0], Lo: s[1]}))
		}},
		// cycles_burn128(high, low, dst) destroys cycles of the balance, at most down to the freezing limit; it writes
		// the cycles destroyed.
		{name: "cycles_burn128", params: "llp", where: burning, cost: flat(plain), body: func(x *Execution, s []uint64) {
			amount := cycles.Amount{Hi: s[0], Lo: s[1]}.Min(x.liquid())
			x.Balance, x.Burned = x.Balance.Sub(amount), x.Burned.Add(amount)
			x.putAmount("ic0_cycles_burn128", s[2], amount)
		}},
		// mint_cycles128(high, low, dst) adds cycles to the balance, up to 2^128-1; it writes the cycles added. In any
		// canister but the cycles minting canister it traps: "cannot be executed on non Cycles Minting Canister".
		{name: "mint_cycles128", params: "llp", where: paying, body: func(x *Execution, s []uint64) {
			if x.ID != cyclesMinting {
				x.misuse("ic0.mint_cycles128 cannot be executed on non Cycles Minting Canister: %s != %s", x.ID, cyclesMinting)
			}
			x.putAmount("ic0_mint_cycles_128", s[2], x.mint(cycles.Amount{Hi: s[0], Lo: s[1]}))
		}},
		// canister_cycle_balance() is the balance in cycles, without what this message prepaid and attached. It traps
		// from 2^64 on.
		{name: "canister_cycle_balance", results: "l", where: anywhere, cost: flat(plain), memory32Only: true, body: func(x *Execution, s []uint64) {
			s[0] = x.narrow(x.Balance)
		}},
		// canister_cycle_balance128(dst) writes the balance.
		{name: "canister_cycle_balance128", params: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_canister_cycle_balance128", s[0], x.Balance)
		}},
		// canister_liquid_cycle_balance128(dst) writes the part of the balance above the freezing limit.
		{name: "canister_liquid_cycle_balance128", params: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_canister_liquid_cycle_balance128", s[0], x.liquid())
		}},
	}
}

// mint adds cycles to the balance, up to its maximum.
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
