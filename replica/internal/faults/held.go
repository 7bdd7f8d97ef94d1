package faults

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
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

// end removes a held message and returns the decision about it, followed by the releases of the messages behind it.
func (i *Injector) end(d Decision) []Decision {
	i.remove(d.Message)
	return append([]Decision{d}, i.follow(d.Message)...)
}

func (i *Injector) release(h *state.Held) []Decision {
	return i.end(Decision{Kind: Release, Message: h})
}

// follow releases the requests that waited only for a removed one.
func (i *Injector) follow(gone *state.Held) (released []Decision) {
	if gone.Kind != state.KindRequest {
		return nil
	}
	kept := &i.State.Held
	for _, h := range slices.Clone(kept.All()) {
		if h.Behind != gone.ID || kept.Find(h.ID) != h {
			continue
		}
		if h.Behind = kept.Before(&h.Request, h.ID); h.Behind == 0 {
			released = append(released, i.release(h)...)
		}
	}
	return released
}

// Due decides about a held message at its deadline: it is released, or it is a best-effort request that is too late.
func (i *Injector) Due(id uint64) []Decision {
	h := i.State.Held.Find(id)
	if h == nil {
		return nil
	}
	h.Due = 0
	switch {
	case h.Kind == state.KindRequest && i.State.Late(&h.Request):
		return i.end(Decision{Kind: Lose, Cause: Expired, Message: h})
	case h.Kind == state.KindRequest && i.State.Held.Before(&h.Request, h.ID) != 0:
		h.Release, h.Behind = 0, i.State.Held.Before(&h.Request, h.ID)
		if h.Request.Deadline != 0 {
			i.arm(h, state.Expiry(h.Request.Deadline))
		}
		return nil
	default:
		return i.release(h)
	}
}

// Over loses the held response to a call that its deadline has settled.
func (i *Injector) Over(call intercanister.CallID) []Decision {
	if i.State.Held.Len() == 0 {
		return nil
	}
	if h := i.State.Held.ByCall(call); h != nil && h.Kind == state.KindResponse {
		return i.end(Decision{Kind: Lose, Cause: Expired, Message: h})
	}
	return nil
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
func (i *Injector) Shed(h *state.Held, reject *intercanister.Reject) []Decision {
	d := Answered(h, 0, intercanister.Response{Reject: reject})
	d.Cause = Shed
	return i.end(d)
}

// Settlement is an answer in place of a callee: a reply, a reject, or SYS_UNKNOWN.
type Settlement struct {
	Reply   []byte
	Reject  *intercanister.Reject
	Unknown bool
}

// Response returns the settlement as a response, and its kind. It is refused as invalid if no caller can receive this
// answer.
func (s *Settlement) Response() (intercanister.Response, state.ActionKind, *refusal.Refusal) {
	action := state.Action{Kind: state.ActReply, Reply: s.Reply}
	switch {
	case s.Unknown && (s.Reply != nil || s.Reject != nil):
		return intercanister.Response{}, 0, refusal.New(refusal.Invalid, "invalid answer: expected a reply, a reject or an unknown outcome")
	case s.Unknown:
		action = state.Action{Kind: state.ActUnknown}
	case s.Reject != nil:
		action = state.Action{Kind: state.ActReject, Reject: completed(s.Reject)}
	}
	if !s.Unknown {
		if why := checkAnswer(s.Reply, s.Reject, s.Reject != nil); why != "" {
			return intercanister.Response{}, 0, refusal.New(refusal.Invalid, "%s", why)
		}
	}
	return response(&action), action.Kind, nil
}

// Release releases a held message. It is refused as a conflict if an earlier request of the same two canisters is held.
func (i *Injector) Release(h *state.Held) ([]Decision, *refusal.Refusal) {
	if h.Kind == state.KindRequest && !h.Mock {
		if before := i.State.Held.Before(&h.Request, h.ID); before != 0 {
			return nil, refusal.New(refusal.Conflict, "an earlier request of canister %s to %s is held as message %d, and the network keeps their order: release that first",
				h.Request.Sender, named(h.Request.Receiver), before)
		}
	}
	return i.release(h), nil
}

func named(id principal.Principal) string {
	if id == principal.Management {
		return "the management canister"
	}
	return "canister " + id.String()
}

// ReleaseAll releases all messages that a rule holds, in the order of ids. Those that must keep their order stay.
func (i *Injector) ReleaseAll(rule uint64) (released []Decision) {
	kept := &i.State.Held
	for _, h := range slices.Clone(kept.All()) {
		if h.Rule != rule || kept.Find(h.ID) != h {
			continue
		}
		if h.Kind != state.KindRequest || kept.Before(&h.Request, h.ID) == 0 {
			released = append(released, i.release(h)...)
		} else {
			h.Rule, h.Behind = 0, kept.Before(&h.Request, h.ID)
		}
	}
	return released
}

// Drop loses a held message. It is refused as a conflict if the message belongs to a call with guaranteed response.
func (i *Injector) Drop(h *state.Held) ([]Decision, *refusal.Refusal) {
	if h.Kind != state.KindIngress && !h.Bounded() {
		return nil, refusal.New(refusal.Conflict, "message %d belongs to a call with guaranteed response, which the network never loses: release it, or settle the call", h.ID)
	}
	return i.end(Decision{Kind: Lose, Message: h, Action: state.ActDrop}), nil
}

// Answer answers the call of a held message. It is refused as invalid if no caller can receive this answer, as a
// conflict if the caller cannot receive SYS_UNKNOWN.
func (i *Injector) Answer(h *state.Held, with *Settlement) ([]Decision, *refusal.Refusal) {
	response, action, refused := with.Response()
	switch {
	case refused != nil:
		return nil, refused
	case action == state.ActUnknown && !h.Bounded():
		return nil, refusal.New(refusal.Conflict, "message %d belongs to no best-effort call: only callers of those are told SYS_UNKNOWN", h.ID)
	}
	return i.end(Answered(h, action, response)), nil
}
