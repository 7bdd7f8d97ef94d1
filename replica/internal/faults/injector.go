package faults

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Injector applies the rules of a network to the messages of one subnet. It writes the rules and, in the state of the
// subnet, the held messages with their deadlines and memory.
type Injector struct {
	Rules    *state.Rules // of the network
	State    *state.State // of the subnet
	Clock    *uint64      // ns, the present time of the network
	MaxBytes int          // of held messages
}

// Idle reports whether no message needs a decision: there are no rules, and the subnet holds no messages.
func (i *Injector) Idle() bool { return len(i.Rules.List) == 0 && i.State.Held.Len() == 0 }

// Send decides about a request that its sender releases. A request without a rule waits behind an earlier held one of
// the same two canisters.
func (i *Injector) Send(q *intercanister.Request) Decision {
	rule := match(i.Rules, &routed{Kind: state.KindRequest, Caller: q.Sender, Callee: q.Receiver, Method: q.Method, Bounded: q.Deadline != 0})
	if rule != nil {
		return i.apply(rule, &state.Held{Kind: state.KindRequest, Request: *q})
	}
	before := i.State.Held.Before(q, i.Rules.Count+1)
	if before == 0 {
		return Decision{}
	}
	h := &state.Held{Kind: state.KindRequest, Request: *q, Behind: before}
	if !i.hold(h, &state.Action{}) {
		return Decision{}
	}
	return Decision{Kind: Hold, Message: h}
}

// Settle decides about a response that is about to settle a call of the subnet. Late responses pass.
func (i *Injector) Settle(owner principal.Principal, call intercanister.CallID, response intercanister.Response) Decision {
	f := i.State.Calls.Future(call)
	if f == nil || f.State != intercanister.Waiting || f.Owner != owner {
		return Decision{}
	}
	rule := match(i.Rules, &routed{Kind: state.KindResponse, Caller: owner, Callee: f.Callee, Method: f.Method, Bounded: f.Deadline != 0})
	if rule == nil {
		return Decision{}
	}
	return i.apply(rule, &state.Held{Kind: state.KindResponse, Call: call, Owner: owner, Response: response, Deadline: f.Deadline})
}

// Receive decides about a user's message that was accepted; command says that it is for the management canister.
func (i *Injector) Receive(in *state.Ingress, command bool) Decision {
	rule := match(i.Rules, &routed{Kind: state.KindIngress, Caller: in.Sender, Callee: in.Receiver, Method: in.Method})
	if rule == nil {
		return Decision{}
	}
	return i.apply(rule, &state.Held{Kind: state.KindIngress, Ingress: in.Number, Command: command, Argument: len(in.Arg)})
}

// apply applies a rule to a message. If too much is held, the message passes.
func (i *Injector) apply(rule *state.RuleState, h *state.Held) Decision {
	h.Rule = rule.ID
	d := Decision{Message: h, Action: rule.Action.Kind}
	switch rule.Action.Kind {
	case state.ActHold, state.ActDelay, state.ActMock:
		if i.hold(h, &rule.Action) {
			d.Kind = Hold
		} else {
			rule.Matched, rule.Passed = rule.Matched-1, rule.Passed+1
		}
	case state.ActDrop:
		d.Kind = Lose
	default:
		d = Answered(h, rule.Action.Kind, response(&rule.Action))
	}
	d.Rule = rule
	return d
}

// response returns the response of an action that answers.
func response(a *state.Action) intercanister.Response {
	switch a.Kind {
	case state.ActReply:
		return intercanister.Response{Reply: a.Reply}
	case state.ActReject:
		return intercanister.Response{Reject: a.Reject}
	}
	return intercanister.Response{Reject: intercanister.RejectResponseDropped()}
}
