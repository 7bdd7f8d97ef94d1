package faults

import (
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// hold keeps a message for an action, or behind another message if there is no action. It returns false if too much is
// held.
func (i *Injector) hold(h *state.Held, action *state.Action) bool {
	rules := i.Rules
	if rules.Held >= maxHeld || rules.Bytes+h.PayloadBytes() > i.MaxBytes {
		return false
	}
	rules.Count++
	rules.Held++
	rules.Bytes += h.PayloadBytes()
	h.ID, h.Since, h.Mock = rules.Count, max(i.State.Time, *i.Clock), action.Kind == state.ActMock
	if action.Kind == state.ActDelay {
		h.Release = max(h.Since+action.Delay, h.Since)
	}
	i.enter(h)
	due := h.Release
	if h.Kind == state.KindRequest && h.Request.Deadline != 0 && (due == 0 || state.Expiry(h.Request.Deadline) < due) {
		due = state.Expiry(h.Request.Deadline)
	}
	if due != 0 {
		i.arm(h, due)
	}
	i.State.Held.Add(h)
	return true
}

func (i *Injector) arm(h *state.Held, at uint64) {
	h.Due = i.State.Deadlines.Add(timers.Deadline{At: at, Kind: timers.HeldMessage, Number: h.ID})
}

// enter accounts for a held message: it is in its sender's output queue, or waits for its receiver.
func (i *Injector) enter(h *state.Held) {
	s := i.State
	switch h.Kind {
	case state.KindRequest:
		r := s.Canisters.Get(h.Request.Sender)
		r.Outgoing++
		s.ReserveMemory(r, h.Request.Deadline, h.Memory())
	case state.KindResponse:
		s.ReserveMemory(s.Canisters.Get(h.Owner), h.Deadline, h.Memory())
	}
}

// remove removes a held message from the accounts. The caller decides about it, and releases the messages behind it
// (follow).
func (i *Injector) remove(h *state.Held) {
	s := i.State
	s.Held.Remove(h)
	s.Deadlines.Remove(h.Due)
	i.Rules.Held--
	i.Rules.Bytes -= h.PayloadBytes()
	switch h.Kind {
	case state.KindRequest:
		r := s.Canisters.Get(h.Request.Sender)
		r.Outgoing--
		s.ReleaseMemory(r, h.Request.Deadline, h.Memory())
	case state.KindResponse:
		s.ReleaseMemory(s.Canisters.Get(h.Owner), h.Deadline, h.Memory())
	}
}

// end removes a held message, carries out a decision about it, and releases the messages behind it. Each decision is
// carried out before the next is made.
func (i *Injector) end(d Decision, carryOut func(Decision)) {
	i.remove(d.Message)
	carryOut(d)
	i.follow(d.Message, carryOut)
}

func (i *Injector) release(h *state.Held, carryOut func(Decision)) {
	i.end(Decision{Kind: Release, Message: h}, carryOut)
}

// follow releases the requests that waited only for a removed one.
func (i *Injector) follow(gone *state.Held, carryOut func(Decision)) {
	if gone.Kind != state.KindRequest {
		return
	}
	kept := &i.State.Held
	for _, h := range slices.Clone(kept.All()) {
		if h.Behind != gone.ID || kept.Find(h.ID) != h {
			continue
		}
		if h.Behind = kept.Before(&h.Request, h.ID); h.Behind == 0 {
			i.release(h, carryOut)
		}
	}
}

// Due decides about a held message at its deadline: it is released, or it is a best-effort request that is too late.
func (i *Injector) Due(id uint64, carryOut func(Decision)) {
	h := i.State.Held.Find(id)
	if h == nil {
		return
	}
	h.Due = 0
	switch {
	case h.Kind == state.KindRequest && i.State.Late(&h.Request):
		i.end(Decision{Kind: Lose, Cause: Expired, Message: h}, carryOut)
	case h.Kind == state.KindRequest && i.State.Held.Before(&h.Request, h.ID) != 0:
		h.Release, h.Behind = 0, i.State.Held.Before(&h.Request, h.ID)
		if h.Request.Deadline != 0 {
			i.arm(h, state.Expiry(h.Request.Deadline))
		}
	default:
		i.release(h, carryOut)
	}
}

// Over loses the held response to a call that its deadline has settled.
func (i *Injector) Over(call intercanister.CallID, carryOut func(Decision)) {
	if i.State.Held.Len() == 0 {
		return
	}
	if h := i.State.Held.ByCall(call); h != nil && h.Kind == state.KindResponse {
		i.end(Decision{Kind: Lose, Cause: Expired, Message: h}, carryOut)
	}
}

// Withdraw removes a user's message that will not be executed. It returns false if the message is not held.
func (i *Injector) Withdraw(ingress uint64) bool {
	h := i.State.Held.ByIngress(ingress)
	if h != nil {
		i.remove(h)
	}
	return h != nil
}

// Shed answers the call of a held best-effort message with a reject, to free memory.
func (i *Injector) Shed(h *state.Held, reject *intercanister.Reject, carryOut func(Decision)) {
	d := Answered(h, 0, intercanister.Response{Reject: reject})
	d.Cause = Shed
	i.end(d, carryOut)
}
