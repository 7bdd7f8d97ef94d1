package model

import "strings"

// outcome is the result of a program.
type outcome struct {
	ran      uint64 // instructions
	trap     *Response
	response *Response
	calls    []step
	accepted uint64
	burned   uint64
	sent     uint64 // paid for transmitting requests
	balance  uint64
	timer    uint64
	count    uint64
}

// entering is what any message of a puppet runs.
const entering = 1000

// perform runs a program on the canister and changes nothing yet.
func (c *Canister) perform(m *message) outcome {
	out := outcome{ran: entering, balance: c.Balance, timer: c.Timer, count: c.Count}
	made := make(map[ID]int)
	r := reader{m.program}
	for s := (step{}); out.trap == nil && r.step(&s); {
		switch s.word {
		case "reply":
			out.answer(m, Response{Reply: s.text})
		case "echo":
			out.answer(m, Response{Reply: m.payload})
		case "reject":
			out.answer(m, reject(Rejected, s.text))
		case "trap":
			out.fail(Trapped, s.text)
		case "count":
			out.count++
		case "spend":
			out.ran += s.number
		case "accept":
			taken := min(s.number, m.context.available-out.accepted)
			out.accepted += taken
			out.balance += taken
		case "burn":
			burned := min(s.number, out.balance)
			out.burned += burned
			out.balance -= burned
		case "timer":
			out.timer = s.number
		case "call", "manage":
			out.call(c, m, s, made)
		}
	}
	return out
}

// fail reduces an outcome to its cost.
func (o *outcome) fail(code Code, text string) {
	*o = outcome{ran: o.ran, trap: &Response{Code: code, Text: text}}
}

func (o *outcome) answer(m *message, r Response) {
	if m.context.responded || o.response != nil {
		o.fail(ContractViolated, "answered-twice")
		return
	}
	o.response = &r
}

// callee returns the canister that a step calls.
func (s *step) callee() ID {
	if s.word == "manage" {
		return Management
	}
	return ID(s.number)
}

// mostCalls is the maximum number of open calls from one canister to another.
const mostCalls = 500

// call makes a call unless the message must not, or the queue is full.
func (o *outcome) call(c *Canister, m *message, s step, made map[ID]int) {
	cleaning := m.kind == task && m.call != nil
	if m.kind == querying || m.kind == installing || cleaning || c.slots[s.callee()]+made[s.callee()] >= mostCalls {
		return
	}
	made[s.callee()]++
	sent := s.carrying(c)
	price := sent + c.subnet.Fees.execution(messageLimit, c.wide) + c.subnet.Fees.Byte*responseLimit + s.cycles
	if o.balance < price {
		o.fail(OutOfCycles, "no-cycles")
		return
	}
	o.balance -= price
	o.sent += sent
	o.calls = append(o.calls, s)
}

// carrying returns the price of transmitting the request of a step.
func (s *step) carrying(c *Canister) uint64 {
	method := "run"
	if s.word == "manage" {
		method = s.text
	}
	return c.subnet.Fees.Call + c.subnet.Fees.Byte*uint64(len(method)+len(s.body))
}

// commit applies the program's changes to the canister.
func (c *Canister) commit(m *message, out *outcome) {
	c.Balance, c.Timer, c.Count = out.balance, out.timer, out.count
	c.Paid += out.burned + out.sent
	if m.kind != querying {
		c.Version++
	}
}

// register adds a call and sends its request.
func (w *World) register(c *Canister, x *context, s *step, began uint64) {
	fees := &c.subnet.Fees
	c.subnet.lastCall++
	f := &call{
		number: c.subnet.lastCall, owner: c, callee: s.callee(), context: x, made: w.now,
		execution: fees.execution(messageLimit, c.wide), carrying: fees.Byte * responseLimit,
		then: s.then, otherwise: s.otherwise, finally: s.finally,
	}
	if s.bounded {
		f.deadline = began + s.within*second
	}
	x.outstanding++
	c.calls++
	c.slots[f.callee]++
	c.subnet.calls.put(f.number, f)
	w.effect(Effect{Kind: Registered, Subnet: c.subnet, Canister: c.ID, Call: f.number, Callee: f.callee})
	q := &request{call: f, sender: c.ID, to: f.callee, method: "run", arg: s.body, cycles: s.cycles}
	if s.word == "manage" {
		q.method = s.text
	}
	w.send(c.subnet, q)
}

// about returns the canister at the beginning of a management call's argument.
func about(arg string) ID {
	word, _, _ := strings.Cut(arg, " ")
	r := reader{word}
	return ID(r.number())
}
