package faults

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

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
func (i *Injector) Release(h *state.Held, carryOut func(Decision)) *refusal.Refusal {
	if h.Kind == state.KindRequest && !h.Mock {
		if before := i.State.Held.Before(&h.Request, h.ID); before != 0 {
			return refusal.New(refusal.Conflict, "an earlier request of canister %s to %s is held as message %d, and the network keeps their order: release that first",
				h.Request.Sender, named(h.Request.Receiver), before)
		}
	}
	i.release(h, carryOut)
	return nil
}

func named(id principal.Principal) string {
	if id == principal.Management {
		return "the management canister"
	}
	return "canister " + id.String()
}

// ReleaseAll releases all messages that a rule holds, in the order of ids. Those that must keep their order stay.
func (i *Injector) ReleaseAll(rule uint64, carryOut func(Decision)) {
	kept := &i.State.Held
	for _, h := range slices.Clone(kept.All()) {
		if h.Rule != rule || kept.Find(h.ID) != h {
			continue
		}
		if h.Kind != state.KindRequest || kept.Before(&h.Request, h.ID) == 0 {
			i.release(h, carryOut)
		} else {
			h.Rule, h.Behind = 0, kept.Before(&h.Request, h.ID)
		}
	}
}

// Drop loses a held message. It is refused as a conflict if the message belongs to a call with guaranteed response.
func (i *Injector) Drop(h *state.Held, carryOut func(Decision)) *refusal.Refusal {
	if h.Kind != state.KindIngress && !h.Bounded() {
		return refusal.New(refusal.Conflict, "message %d belongs to a call with guaranteed response, which the network never loses: release it, or settle the call", h.ID)
	}
	i.end(Decision{Kind: Lose, Message: h, Action: state.ActDrop}, carryOut)
	return nil
}

// Answer answers the call of a held message. It is refused as invalid if no caller can receive this answer, as a
// conflict if the caller cannot receive SYS_UNKNOWN.
func (i *Injector) Answer(h *state.Held, with *Settlement, carryOut func(Decision)) *refusal.Refusal {
	response, action, refused := with.Response()
	switch {
	case refused != nil:
		return refused
	case action == state.ActUnknown && !h.Bounded():
		return refusal.New(refusal.Conflict, "message %d belongs to no best-effort call: only callers of those are told SYS_UNKNOWN", h.ID)
	}
	i.end(Answered(h, action, response), carryOut)
	return nil
}
