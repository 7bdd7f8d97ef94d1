package model

import (
	"slices"
	"strconv"
	"strings"
)

// stopTimeout is the maximum wait of stop_canister, in nanoseconds.
const stopTimeout = 300 * second

// Submit submits a user's message; it returns nil if the message is accepted.
func (w *World) Submit(key uint64, to ID, method, arg string, bytes int, expiry uint64) *Response {
	c := w.Canister(to)
	managed := !slices.Contains([]string{"run", "look", "both", "none"}, method)
	refused := (*Response)(nil)
	switch {
	case c == nil && method != "create":
		refused = &Response{Code: NotFound}
	case c != nil && !c.affords(bytes):
		refused = &Response{Code: OutOfCycles}
	case managed:
	case c.Status == Stopping:
		refused = &Response{Code: IsStopping, Text: "is stopping"}
	case c.Status == Stopped:
		refused = &Response{Code: IsStopped, Text: "is stopped"}
	case !c.Code:
		refused = &Response{Code: NoCode}
	case method == "both":
		refused = &Response{Code: CompositeCalled, Text: "Composite query"}
	}
	if refused != nil {
		return refused
	}
	if c != nil {
		c.pay(bytes)
	}
	in := &ingress{key: key, to: to, method: method, arg: arg, expiry: expiry}
	w.ingress.put(key, in)
	if managed {
		in.to = Management
	} else {
		c.ingress = append(c.ingress, in)
	}
	return nil
}

// ExpireIngress rejects a message that did not begin in time.
func (w *World) ExpireIngress(key uint64) {
	in := w.ingress.get(key)
	if in == nil || in.begun || w.now < in.expiry {
		w.wrong("message %d expired, which was not due", key)
		return
	}
	for _, s := range w.Subnets {
		for _, c := range s.canisters.things {
			c.ingress = slices.DeleteFunc(c.ingress, func(o *ingress) bool { return o == in })
		}
	}
	w.answer(nil, in, Response{Code: IngressExpired, Text: "timed out"})
}

// expireStops rejects the callers of stop_canister that have waited too long.
func (w *World) expireStops(c *Canister) {
	for len(c.stops) > 0 && w.now >= c.stops[0].since+stopTimeout {
		s := c.stops[0]
		c.stops = c.stops[1:]
		if f := s.origin.call; f != nil && f.owner.subnet == c.subnet && f.state == waiting && f.deadline != 0 && f.deadline+second <= s.since+stopTimeout {
			w.ExpireCall(c.subnet, f.number) // in the order of deadlines
		}
		w.reply(c.subnet, nil, s.origin, Response{Code: StopTimedOut, Text: "timed out", refund: s.refund})
	}
}

// command is a management call that is executed.
type command struct {
	subnet   *Subnet
	method   string
	words    []string
	origin   origin
	attached uint64
}

// CommandOfUser executes a user's management call. It returns false if the network must wait until a canister is idle.
func (w *World) CommandOfUser(key uint64, at *Subnet) bool {
	in := w.ingress.get(key)
	if in == nil || in.begun || in.to != Management {
		w.wrong("management call %d does not wait", key)
		return true
	}
	c := command{subnet: at, method: in.method, words: strings.SplitN(in.arg, " ", 3), origin: origin{ingress: in}}
	if w.blocked(&c) {
		return false
	}
	in.begun = true
	w.execute(&c)
	return true
}

// CommandOfCanister executes the management call of a canister, or drops it. It returns false if the network must wait
// until a canister is idle.
func (w *World) CommandOfCanister(at *Subnet, caller ID, number uint64, dropped bool) bool {
	i := slices.IndexFunc(at.commands, func(q *request) bool { return q.sender == caller && q.call.number == number })
	if i < 0 {
		w.wrong("management call %d of canister %d does not wait", number, caller)
		return true
	}
	q := at.commands[i]
	c := command{subnet: at, method: q.method, words: strings.SplitN(q.arg, " ", 3), origin: origin{call: q.call}, attached: q.cycles}
	if !dropped {
		w.late(q)
	}
	if !dropped && w.blocked(&c) {
		return false
	}
	at.commands = slices.Delete(at.commands, i, i+1)
	if dropped {
		w.drop(at, q)
		return true
	}
	w.execute(&c)
	return true
}

// target returns the canister that a command is about, nil if there is none.
func (c *command) target() *Canister { return c.subnet.canisters.get(about(c.words[0])) }

// blocked reports whether a command must wait: code and status do not change during a message, and a subnet installs
// one module at a time.
func (w *World) blocked(c *command) bool {
	if c.method == "create" || c.method == "deposit" || c.method == "mint" {
		return false
	}
	t := c.target()
	return t != nil && (t.running != nil || c.method == "install" && c.subnet.install != nil)
}

func (w *World) execute(c *command) {
	if c.method == "create" {
		w.create(c)
		return
	}
	t := c.target()
	switch {
	case t == nil:
		w.done(c, reject(NotFound, "no such canister"))
	case c.method == "deposit":
		t.give(c.attached)
		c.attached = 0
		w.done(c, Response{Reply: "done"})
	case c.method == "mint":
		t.give(amount(c.words[1]))
		c.subnet.Minted += amount(c.words[1])
		w.done(c, Response{Reply: "done"})
	case c.method == "delete" && t.Status != Stopped:
		w.done(c, reject(IsNotStopped, "not stopped"))
	case c.method == "delete" && t.sends():
		w.done(c, reject(StillSends, "not sent"))
	case c.method == "install":
		w.beginInstall(c, t)
	default:
		t.Version++
		w.change(c, t)
	}
}

// sends reports whether messages of the canister are still on its subnet.
func (c *Canister) sends() bool {
	return slices.ContainsFunc(c.subnet.out, func(p streamMessage) bool { return p.from == c })
}

func amount(word string) uint64 {
	n, _ := strconv.ParseUint(word, 10, 64)
	return n
}

// done answers a command; cycles that were not accepted are refunded.
func (w *World) done(c *command, r Response) {
	r.refund = c.attached
	w.reply(c.subnet, nil, c.origin, r)
}

func (w *World) create(c *command) {
	s := c.subnet
	minted := amount(c.words[0])
	id := s.First + s.created
	s.created++
	s.Minted += minted
	s.canisters.put(id, &Canister{
		ID: id, Status: Running, Balance: minted + c.attached, subnet: s,
		programs: make(map[string]string), slots: make(map[ID]int), owed: make(map[ID]int),
	})
	c.attached = 0
	w.done(c, Response{Reply: w.Bytes(id)})
}

func (w *World) beginInstall(c *command, t *Canister) {
	if !t.prepay(installLimit, false) {
		w.done(c, reject(OutOfCycles, "out of cycles"))
		return
	}
	c.subnet.install = t
	t.running = &message{
		kind: installing, program: strings.Join(c.words[1:], " "), limit: installLimit, began: w.now,
		origin: c.origin, attached: c.attached, context: &context{responded: true},
	}
}

// installed handles the end of an installation.
func (w *World) installed(c *Canister, m *message, trap *Response) {
	c.subnet.install = nil
	answer := Response{Reply: "installed", refund: m.attached}
	if trap != nil {
		answer = *trap
		answer.refund = m.attached
	} else {
		c.Code, c.wide = true, strings.HasPrefix(m.program, "wide")
	}
	w.reply(c.subnet, nil, m.origin, answer)
}

func (w *World) change(c *command, t *Canister) {
	switch c.method {
	case "environment":
		delete(t.programs, c.words[1])
		if len(c.words) > 2 {
			t.programs[c.words[1]] = c.words[2]
		}
	case "stop":
		w.stop(c, t)
		return
	case "start":
		t.Status = Running
		w.cancelStops(t)
	case "uninstall":
		w.uninstall(t)
	case "delete":
		w.remove(t)
	}
	w.done(c, Response{Reply: "done"})
}

func (w *World) stop(c *command, t *Canister) {
	if t.Status == Stopped {
		w.done(c, Response{Reply: noValues})
		return
	}
	t.Status = Stopping
	t.stops = append(t.stops, stop{c.origin, c.attached, w.now})
	w.idle(t)
}

func (w *World) cancelStops(t *Canister) {
	stops := t.stops
	t.stops = nil
	for _, s := range stops {
		w.reply(t.subnet, nil, s.origin, Response{Code: StopCancelled, Text: "cancelled", refund: s.refund})
	}
}

// uninstall removes the code: waiting callers are rejected, and later responses only return cycles.
func (w *World) uninstall(t *Canister) {
	t.Code, t.wide, t.Count, t.Timer = false, false, 0, 0
	for _, x := range slices.Clone(t.contexts) {
		if !x.responded {
			w.respond(t, x, reject(Rejected, "Canister has been uninstalled."))
		}
		x.deleted = true
		w.conclude(t, x, nil)
	}
	w.idle(t)
}

// remove deletes a canister with its cycles.
func (w *World) remove(t *Canister) {
	w.must(len(t.contexts) == 0, "canister %d was deleted with calls open", t.ID)
	for _, in := range t.ingress {
		w.answer(t.subnet, in, Response{Code: NotFound, Text: "not found"})
	}
	for _, list := range t.requests.things {
		for _, q := range list {
			w.refuse(t.subnet, q, reject(NotFound, "not found"))
		}
	}
	t.subnet.Deleted += t.Balance
	t.subnet.Gone += t.Paid
	t.subnet.canisters.remove(t.ID)
}
