package model

import "slices"

// Source says what kind of message is delivered.
type Source uint8

// The sources of messages.
const (
	FromTask Source = iota + 1
	FromResponse
	FromIngress
	FromRequest
)

// Message says which message the machine delivered to a canister.
type Message struct {
	To      ID
	Source  Source
	Task    string // heartbeat or timer
	Ingress uint64 // the user's message
	Call    uint64 // the call that is answered, or requested by:
	Caller  ID
}

// Verdict is the fate of a message that is delivered.
type Verdict struct {
	Runs   bool
	Reject *Response // it does not run, and the caller is told
}

// message is one that runs.
type message struct {
	kind     messageKind
	context  *context
	call     *call // callback
	program  string
	payload  string
	cleanup  string
	limit    uint64
	began    uint64
	origin   origin // installing
	attached uint64 // installing
}

type messageKind uint8

const (
	calling messageKind = iota
	querying
	task
	callback
	installing
)

// Busy reports whether a message of the canister has begun and not ended.
func (w *World) Busy(id ID) bool {
	c := w.Canister(id)
	return c != nil && c.running != nil
}

// Take delivers a message: it runs now, until Finish, or never.
func (w *World) Take(m Message) Verdict {
	c := w.Canister(m.To)
	if c == nil || c.running != nil {
		w.wrong("a message for canister %d, which is gone or busy", m.To)
		return Verdict{}
	}
	var v Verdict
	switch m.Source {
	case FromTask:
		v = w.takeTask(c, m)
	case FromResponse:
		v = w.takeResponse(c, m)
	case FromIngress:
		v = w.takeIngress(c, m)
	case FromRequest:
		v = w.removeRequest(c, m)
	}
	if !v.Runs {
		c.applyDeferred()
		w.idle(c)
	}
	return v
}

// Hold says that a message of a canister was taken; Take will say which. The canister finds later arrivals when that
// has ended.
func (w *World) Hold(id ID) { w.Canister(id).held = true }

func (w *World) takeTask(c *Canister, m Message) Verdict {
	ready := c.Status == Running && c.Code && c.programs[m.Task] != "" && (m.Task != "timer" || c.Timer != 0 && c.Timer <= w.now)
	if !ready || !c.prepay(messageLimit, c.wide) {
		return Verdict{}
	}
	if m.Task == "timer" {
		c.Timer = 0
	}
	c.running = &message{kind: task, context: c.open(origin{}, 0), program: c.programs[m.Task], limit: messageLimit, began: w.now}
	return Verdict{Runs: true}
}

func (c *Canister) open(from origin, available uint64) *context {
	x := &context{origin: from, available: available, busy: true, responded: from == origin{}}
	c.contexts = append(c.contexts, x)
	return x
}

func (w *World) takeIngress(c *Canister, m Message) Verdict {
	in := w.ingress.get(m.Ingress)
	at := slices.Index(c.ingress, in)
	if in == nil || at < 0 {
		w.wrong("message %d does not wait for canister %d", m.Ingress, c.ID)
		return Verdict{}
	}
	c.ingress = slices.Delete(c.ingress, at, at+1)
	in.begun = true
	return w.begin(c, in.method, in.arg, origin{ingress: in}, 0)
}

func (w *World) removeRequest(c *Canister, m Message) Verdict {
	list := c.requests.get(m.Caller)
	if len(list) == 0 || list[0].call.number != m.Call {
		w.wrong("call %d of canister %d is not the next for canister %d", m.Call, m.Caller, c.ID)
		return Verdict{}
	}
	q := list[0]
	c.wait(m.Caller, list[1:])
	w.late(q)
	c.owed[q.sender]++
	return w.begin(c, q.method, q.arg, origin{call: q.call}, q.cycles)
}

// late records a fault if a request is executed after its caller has stopped waiting. In the round in which it arrives
// this is allowed: it may have been late when the message that sent it ended.
func (w *World) late(q *request) {
	deadline := q.call.deadline
	w.must(deadline == 0 || w.now < deadline+second || w.now == q.arrived, "call %d of canister %d was delivered after its deadline", q.call.number, q.sender)
}

// Drop removes a request that the network drops because its caller no longer waits. Its cycles are refunded. Deadlines
// are in whole seconds: within the last one the network may do either.
func (w *World) Drop(to, caller ID, number uint64) {
	c := w.Canister(to)
	if c == nil {
		w.wrong("a request to canister %d was dropped, which is gone", to)
		return
	}
	list := c.requests.get(caller)
	i := slices.IndexFunc(list, func(q *request) bool { return q.call.number == number })
	if i < 0 {
		w.wrong("call %d of canister %d was dropped and does not wait", number, caller)
		return
	}
	q := list[i]
	c.wait(caller, slices.Delete(list, i, i+1))
	w.drop(c.subnet, q)
}

func (w *World) drop(at *Subnet, q *request) {
	deadline := q.call.deadline
	w.must(deadline != 0 && deadline <= w.now, "call %d of canister %d was dropped before its deadline", q.call.number, q.sender)
	w.giveBack(at, q.call, q.cycles)
}

// begin charges for a call, checks it and begins to execute it. A call that fails the checks has paid for its
// beginning.
func (w *World) begin(c *Canister, method, arg string, from origin, cycles uint64) Verdict {
	kind, limit := calling, uint64(messageLimit)
	if c.Code && (method == "look" || method == "both") {
		kind, limit = querying, queryLimit
	}
	refused := c.refusal(method)
	if !c.prepay(limit, c.wide) {
		refused = &Response{Code: OutOfCycles, Text: "out of cycles"}
	} else if refused != nil {
		c.refund(limit, 0, c.wide)
	}
	if refused != nil {
		refused.refund = cycles
		c.answered(from)
		w.reply(c.subnet, c, from, *refused)
		return Verdict{Reject: refused}
	}
	c.running = &message{kind: kind, context: c.open(from, cycles), program: arg, payload: arg, limit: limit, began: w.now}
	return Verdict{Runs: true}
}

// refusal returns why a canister does not execute a method; nil if it does.
func (c *Canister) refusal(method string) *Response {
	switch {
	case c.Status != Running:
		return c.notRunning()
	case !c.Code:
		return &Response{Code: NoCode, Text: "contains no Wasm module"}
	case method == "both":
		return &Response{Code: CompositeCalled, Text: "Composite query"}
	case method != "run" && method != "look":
		return &Response{Code: NoMethod, Text: "has no update method"}
	}
	return nil
}

func (w *World) takeResponse(c *Canister, m Message) Verdict {
	f := c.subnet.calls.get(m.Call)
	at := slices.Index(c.responses, f)
	if f == nil || at < 0 {
		w.wrong("no response to call %d waits for canister %d", m.Call, c.ID)
		return Verdict{}
	}
	c.responses = slices.Delete(c.responses, at, at+1)
	f.state = beginning
	if c.slots[f.callee]--; c.slots[f.callee] == 0 {
		delete(c.slots, f.callee)
	}
	r, x := &f.response, f.context
	carried := c.subnet.Fees.Byte * uint64(len(r.Reply))
	if r.Code != 0 {
		carried = c.subnet.Fees.Byte * uint64(r.bytes)
	}
	c.Balance += r.refund + f.carrying - carried
	c.Paid += carried
	due := c.subnet.Fees.execution(messageLimit, c.wide)
	if poor := c.Balance+f.execution < due; x.deleted || poor {
		c.Balance += f.execution - c.subnet.Fees.Execution
		c.Paid += c.subnet.Fees.Execution
		w.over(c, f)
		var trap *Response
		if !x.deleted {
			trap = &Response{Code: ContractViolated, Text: "is out of cycles"}
		}
		w.conclude(c, x, trap)
		return Verdict{Reject: trap}
	}
	c.Balance += f.execution - due // may wrap around, and back
	c.Paid += due
	x.busy = true
	run := &message{kind: callback, context: x, call: f, program: f.then, payload: r.Reply, cleanup: f.finally, limit: messageLimit, began: w.now}
	if r.Code != 0 {
		run.program, run.payload = f.otherwise, ""
	}
	c.running = run
	return Verdict{Runs: true}
}

// over removes a call.
func (w *World) over(c *Canister, f *call) {
	f.context.outstanding--
	c.subnet.calls.remove(f.number)
	c.calls--
}

// answered frees the slot of an answered call.
func (c *Canister) answered(from origin) {
	if from.call == nil {
		return
	}
	caller := from.call.owner.ID
	if c.owed[caller]--; c.owed[caller] == 0 {
		delete(c.owed, caller)
	}
}

// Result is the outcome of a message that ran.
type Result struct {
	Instructions uint64
	Trap         *Response // nil where it did not trap
}

// Finish ends the running message: all its effects happen now.
func (w *World) Finish(id ID) Result {
	c := w.Canister(id)
	if c == nil || c.running == nil {
		w.wrong("a message of canister %d is over that had not begun", id)
		return Result{}
	}
	m := c.running
	out := c.perform(m)
	if out.trap != nil && m.kind == callback && m.cleanup != "" {
		cleaned := c.perform(&message{kind: task, program: m.cleanup, began: m.began, limit: messageLimit, context: &context{responded: true}, call: m.call})
		out.ran += cleaned.ran
		if cleaned.trap == nil {
			c.commit(m, &cleaned)
		}
	} else if out.trap == nil {
		c.commit(m, &out)
	}
	c.applyDeferred()
	c.refund(m.limit, out.ran, c.wide && m.kind != installing)
	if m.kind == installing {
		w.installed(c, m, out.trap)
	} else {
		w.apply(c, m, &out)
	}
	w.idle(c)
	return Result{Instructions: out.ran, Trap: out.trap}
}

// apply applies the effects of a message outside its canister.
func (w *World) apply(c *Canister, m *message, out *outcome) {
	x := m.context
	if m.kind == callback {
		w.over(c, m.call)
	}
	x.busy = false
	if out.trap == nil {
		x.available -= out.accepted
		for i := range out.calls {
			w.register(c, x, &out.calls[i], m.began)
		}
		if out.response != nil {
			w.respond(c, x, *out.response)
		}
	}
	w.conclude(c, x, out.trap)
}

// respond answers a context; cycles that were not accepted are refunded.
func (w *World) respond(c *Canister, x *context, r Response) {
	r.refund, x.available, x.responded = x.available, 0, true
	c.answered(x.origin)
	w.reply(c.subnet, c, x.origin, r)
}

// conclude answers a context that never will answer, and removes one that has ended.
func (w *World) conclude(c *Canister, x *context, trap *Response) {
	if !x.responded && x.outstanding == 0 {
		r := Response{Code: NoReply, Text: ""}
		if trap != nil {
			r = *trap
		}
		w.respond(c, x, r)
	}
	if x.responded && x.outstanding == 0 && !x.busy {
		c.contexts = slices.DeleteFunc(c.contexts, func(o *context) bool { return o == x })
	}
}

// idle is called when a message has ended: it stops a canister that only waited for that.
func (w *World) idle(c *Canister) {
	if c.Status != Stopping || len(c.contexts) > 0 || c.running != nil {
		return
	}
	c.Status = Stopped
	c.Version++
	stops := c.stops
	c.stops = nil
	for _, s := range stops {
		w.reply(c.subnet, nil, s.origin, Response{Reply: noValues, refund: s.refund})
	}
}

// noValues is Candid for no values.
const noValues = "DIDL\x00\x00"
