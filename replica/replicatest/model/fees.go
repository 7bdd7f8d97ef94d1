package model

import "slices"

// Fees are the prices of a subnet of 13 nodes; nothing costs anything where they
// are zero (interface specification and cost tables: application subnets).
type Fees struct {
	Execution   uint64 // of a message
	Instruction uint64
	Wide        uint64 // of an instruction of a canister with a 64-bit memory
	Ingress     uint64
	IngressByte uint64
	Call        uint64
	Byte        uint64 // of a request or a response
}

// Application are the fees of an application subnet.
var Application = Fees{Execution: 5_000_000, Instruction: 1, Wide: 2, Ingress: 1_200_000, IngressByte: 2_000, Call: 260_000, Byte: 1_000}

// The instructions a message may run, which are prepaid; the bytes of a response,
// which are, too.
const (
	messageLimit  = 40_000_000_000
	queryLimit    = 5_000_000_000
	installLimit  = 300_000_000_000
	responseLimit = 2 << 20
)

const second = 1_000_000_000

func (f *Fees) execution(instructions uint64, wide bool) uint64 {
	return f.Execution + f.instructions(instructions, wide)
}

func (f *Fees) instructions(n uint64, wide bool) uint64 {
	if wide {
		return f.Wide * n
	}
	return f.Instruction * n
}

// prepay takes the price of a message of at most limit instructions.
func (c *Canister) prepay(limit uint64, wide bool) bool {
	price := c.subnet.Fees.execution(limit, wide)
	if c.Balance < price {
		return false
	}
	c.Balance -= price
	c.Paid += price
	return true
}

// refund returns the cycles of instructions that did not run.
func (c *Canister) refund(limit, ran uint64, wide bool) {
	unused := c.subnet.Fees.instructions(limit-min(limit, ran), wide)
	c.Balance += unused
	c.Paid -= unused
}

// give adds cycles, after the end of the running message.
func (c *Canister) give(amount uint64) {
	if c.running != nil || c.held {
		c.credit += amount
	} else {
		c.Balance += amount
	}
}

// fee returns the price of an ingress message.
func (c *Canister) fee(bytes int) uint64 {
	return c.subnet.Fees.Ingress + c.subnet.Fees.IngressByte*uint64(bytes)
}

// affords reports whether a canister can pay for an ingress message.
func (c *Canister) affords(bytes int) bool {
	fee := c.fee(bytes)
	return fee == 0 || c.Balance >= c.debit+fee
}

// pay takes the fee of an ingress message.
func (c *Canister) pay(bytes int) {
	if fee := c.fee(bytes); c.running != nil {
		c.debit += fee
	} else {
		c.Balance -= fee
		c.Paid += fee
	}
}

// applyDeferred applies the credits and debits that came while a message ran.
func (c *Canister) applyDeferred() {
	c.running, c.held = nil, false
	c.Balance += c.credit
	due := min(c.debit, c.Balance)
	c.Balance -= due
	c.Paid += due
	c.credit, c.debit = 0, 0
}

// Fund gives a canister new cycles; false if there is none.
func (w *World) Fund(id ID, amount uint64) bool {
	c := w.Canister(id)
	if c != nil {
		c.subnet.Minted += amount
		c.give(amount)
	}
	return c != nil
}

// Charge takes the price of the time that has passed: the model does not count bytes.
func (w *World) Charge(id ID, amount uint64) {
	c := w.Canister(id)
	if c == nil || c.Balance < amount {
		w.wrong("canister %d was charged %d cycles that it does not have", id, amount)
		return
	}
	c.Balance -= amount
	c.Paid += amount
}

// enoughForTime is more than any canister of the model owes for the time that passes
// between two charges.
const enoughForTime = 1_000_000_000

// Starve uninstalls a canister that could not pay for the time that has passed.
func (w *World) Starve(id ID) {
	c := w.Canister(id)
	if c == nil || c.Balance >= enoughForTime {
		w.wrong("canister %d lost its code though it could pay", id)
		return
	}
	c.Paid += c.Balance
	c.Balance = 0
	w.uninstall(c)
	c.Version++
}

// giveBack returns the cycles of a message without a waiting caller to the canister that sent it.
func (w *World) giveBack(at *Subnet, f *call, amount uint64) {
	owner := f.owner.subnet
	switch {
	case amount == 0:
	case owner != at:
		at.out = append(at.out, streamMessage{call: f, late: true, response: Response{refund: amount}})
	case owner.canisters.get(f.owner.ID) == f.owner:
		f.owner.give(amount)
	default:
		owner.Lost += amount
	}
}

// Totals are the cycles of a world by their place.
type Totals struct {
	Balances, Attached, Available, Deferred, Prepaid, Refunds uint64 // still there
	Consumed, Deleted, Lost                                   uint64 // gone
	Minted                                                    uint64
}

// Totals counts the cycles.
func (w *World) Totals() (t Totals) {
	for _, s := range w.Subnets {
		t.Consumed, t.Deleted, t.Lost, t.Minted = t.Consumed+s.Gone, t.Deleted+s.Deleted, t.Lost+s.Lost, t.Minted+s.Minted
		for _, p := range slices.Concat(s.out, s.later, s.in) {
			if p.request != nil {
				t.Attached += p.request.cycles
			}
			t.Refunds += p.response.refund
		}
		for _, q := range s.commands {
			t.Attached += q.cycles
		}
		for _, f := range s.calls.things {
			if f.state != beginning {
				t.Prepaid += f.execution + f.carrying
			}
		}
		for _, c := range s.canisters.things {
			c.count(&t)
		}
	}
	return t
}

func (c *Canister) count(t *Totals) {
	t.Balances += c.Balance + c.credit
	t.Consumed += c.Paid
	for _, list := range c.requests.things {
		for _, q := range list {
			t.Attached += q.cycles
		}
	}
	for _, f := range c.responses {
		t.Refunds += f.response.refund
	}
	for _, x := range c.contexts {
		t.Available += x.available
	}
	for _, s := range c.stops {
		t.Deferred += s.refund
	}
	if m := c.running; m != nil && m.kind == installing {
		t.Deferred += m.attached
	}
}
