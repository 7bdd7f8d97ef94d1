package replica

import (
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// ReleaseHeld lets a held message go on as if it came now: no rule looks at it again. It is refused as not found if
// there is none, as a conflict if an earlier request of the same two canisters is held: the network keeps their order.
type ReleaseHeld struct{ ID uint64 }

// DropHeld loses a held message. It is refused as not found if there is none, as a conflict if it belongs to a call
// with guaranteed response. A user's message stays received until it expires.
type DropHeld struct{ ID uint64 }

// SettleHeld answers the call a held message belongs to; for a held response it replaces that response. Attached
// cycles, or the refund, go back with it. It is refused as not found if the message does not exist, as invalid if no
// caller can get this answer, as a conflict if the caller cannot be told SYS_UNKNOWN.
type SettleHeld struct {
	ID     uint64
	Answer Settlement
}

// Settlement is an answer in the place of a callee: a reply, a reject, or SYS_UNKNOWN.
type Settlement struct {
	Reply   []byte
	Reject  *intercanister.Reject
	Unknown bool
}

func (ReleaseHeld) input() {}
func (DropHeld) input()    {}
func (*SettleHeld) input() {}

func (n *Network) kept(id uint64) (*subnet, *state.Held) {
	for _, m := range n.subnets {
		if h := m.Kept.Find(id); h != nil {
			return m, h
		}
	}
	return nil, nil
}

// keep holds a message for a rule, or behind another. It is false where too much is
// held: then the message goes on.
func (m *subnet) keep(h *state.Held, rule *state.RuleState) bool {
	rules := &m.net.rules
	if rules.Held >= MaxHeld || rules.Bytes+h.PayloadBytes() > m.net.config.HeldBytes {
		if rule != nil {
			rule.Matched, rule.Passed = rule.Matched-1, rule.Passed+1
			m.emitHoldRefused(rule, h)
		}
		return false
	}
	rules.Count++
	rules.Held++
	rules.Bytes += h.PayloadBytes()
	h.ID, h.Since = rules.Count, m.now()
	if rule != nil {
		h.Rule, h.Mock = rule.ID, rule.Action.Kind == ActMock
		if rule.Action.Kind == ActDelay {
			h.Release = max(h.Since+rule.Action.Delay, h.Since)
		}
	}
	m.account(h)
	due := h.Release
	if h.Kind == KindRequest && h.Request.Deadline != 0 && (due == 0 || expiry(h.Request.Deadline) < due) {
		due = expiry(h.Request.Deadline)
	}
	if due != 0 {
		h.Due = m.Deadlines.Add(timers.Deadline{At: due, Kind: timers.HeldMessage, Number: h.ID})
	}
	m.Kept.Add(h)
	m.emitHeld(MessageHeld, h)
	return true
}

// now is the time of the present round; between rounds, the time of the next one.
func (m *subnet) now() uint64 { return max(m.Time, m.net.clock) }

// account enters a held message into the books: it is in its sender's output queue, or
// waits for its receiver.
func (m *subnet) account(h *state.Held) {
	switch h.Kind {
	case KindRequest:
		r := m.Canisters.Get(h.Request.Sender)
		r.Outgoing++
		m.ReserveMemory(r, h.Request.Deadline, h.Memory())
	case KindResponse:
		m.ReserveMemory(m.Canisters.Get(h.Owner), h.Deadline, h.Memory())
	}
}

// drawOut removes a held message from the books; the caller disposes of it, and lets the messages behind it go on
// (follow).
func (m *subnet) drawOut(h *state.Held) {
	m.Kept.Remove(h)
	m.Deadlines.Remove(h.Due)
	m.net.rules.Held--
	m.net.rules.Bytes -= h.PayloadBytes()
	switch h.Kind {
	case KindRequest:
		r := m.Canisters.Get(h.Request.Sender)
		r.Outgoing--
		m.ReleaseMemory(r, h.Request.Deadline, h.Memory())
	case KindResponse:
		m.ReleaseMemory(m.Canisters.Get(h.Owner), h.Deadline, h.Memory())
	}
}

// letGo lets a held message go on, and then those that wait behind it.
func (m *subnet) letGo(h *state.Held) {
	m.emitHeld(MessageReleased, h)
	m.drawOut(h)
	switch h.Kind {
	case KindRequest:
		q := h.Request
		m.dispatch(&q)
	case KindResponse:
		m.deliver(h.Owner, h.Call, h.Response)
	case KindIngress:
		m.enter(m.History.At(h.Ingress), h.Command)
	}
	m.follow(h)
}

// follow lets the requests go on that waited only for one that has gone.
func (m *subnet) follow(gone *state.Held) {
	if gone.Kind != KindRequest {
		return
	}
	for _, h := range slices.Clone(m.Kept.All()) {
		if h.Behind != gone.ID || m.Kept.Find(h.ID) != h {
			continue
		}
		if h.Behind = m.Kept.Before(&h.Request, h.ID); h.Behind == 0 {
			m.letGo(h)
		}
	}
}

// enter queues a user's message for its receiver, which may have gone meanwhile.
func (m *subnet) enter(in *state.Ingress, command bool) {
	box := &m.Commands
	if !command {
		r := m.Canisters.Get(in.Effective)
		if r == nil {
			m.answerIngress(in, nil, rejectNotFound(in.Effective))
			return
		}
		box = &r.Mailbox
	}
	box.PushIngress(in.Number)
	m.Ready.Add(box)
}

// dueHeld is called when the time of a held message has come: it goes on, or it is a
// best-effort request that is too late.
func (m *subnet) dueHeld(id uint64) {
	h := m.Kept.Find(id)
	if h == nil {
		return
	}
	h.Due = 0
	switch {
	case h.Kind == KindRequest && m.late(&h.Request):
		m.expire(h)
	case h.Kind == KindRequest && m.Kept.Before(&h.Request, h.ID) != 0:
		h.Release, h.Behind = 0, m.Kept.Before(&h.Request, h.ID)
		if h.Request.Deadline != 0 {
			h.Due = m.Deadlines.Add(timers.Deadline{At: expiry(h.Request.Deadline), Kind: timers.HeldMessage, Number: h.ID})
		}
	default:
		m.letGo(h)
	}
}

// expire drops a held message of a best-effort call that is too late.
func (m *subnet) expire(h *state.Held) {
	m.emitHeld(MessageDropped, h)
	m.lose(h)
}

// lose drops a held message for good; cycles go back to whom they belong at once.
func (m *subnet) lose(h *state.Held) {
	m.drawOut(h)
	switch h.Kind {
	case KindRequest:
		m.giveBack(h.Request.Sender, h.Request.Cycles)
	case KindResponse:
		m.giveBack(h.Owner, h.Response.Refund)
	}
	m.follow(h)
}

// loseResponse drops the held response to a call that was settled by its deadline.
func (m *subnet) loseResponse(call intercanister.CallID) {
	if m.Kept.Len() == 0 {
		return
	}
	if h := m.Kept.ByCall(call); h != nil && h.Kind == KindResponse {
		m.expire(h)
	}
}

// answerHeld answers the call of a held message in the place of its callee.
func (m *subnet) answerHeld(h *state.Held, response intercanister.Response, kind ActionKind) {
	m.emitHeldFault(h, kind, response.Reject)
	m.drawOut(h)
	switch h.Kind {
	case KindRequest:
		response.Refund = h.Request.Cycles
		m.deliver(h.Request.Sender, h.Request.Call, response)
	case KindResponse:
		response.Refund = h.Response.Refund
		m.deliver(h.Owner, h.Call, response)
	case KindIngress:
		m.answerIngress(m.History.At(h.Ingress), response.Reply, withErrorCode(response.Reject))
	}
	m.follow(h)
}
