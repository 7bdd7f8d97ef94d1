package replica

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Rules intercept messages on their way. They are inputs like any other: the same rules at the same moments give the
// same states. A message is caught when its sender releases it (a request), or just before it enters the queue of its
// receiver (a response, a user's message), once at most.

// The parts of a rule and what it holds.
type (
	Rule        = state.Rule
	RuleState   = state.RuleState
	Match       = state.Match
	Action      = state.Action
	ActionKind  = state.ActionKind
	MessageKind = state.MessageKind
)

// The messages a rule may be for, and what it may do with them.
const (
	KindRequest  = state.KindRequest
	KindResponse = state.KindResponse
	KindIngress  = state.KindIngress

	ActHold    = state.ActHold
	ActDrop    = state.ActDrop
	ActReply   = state.ActReply
	ActReject  = state.ActReject
	ActUnknown = state.ActUnknown
	ActDelay   = state.ActDelay
	ActMock    = state.ActMock
)

// AddRule makes a rule that is in force from now on; Result.Rule is its id and Result.Note what it will not do. The
// oldest matching rule is applied to a message; a rule that lets a message pass counts it.
//
// It is refused as invalid where no network could do what it says, as full where there
// are MaxRules.
type AddRule struct{ Rule Rule }

// RemoveRule forgets a rule. Its held messages stay held, unless Release is set. It is refused as not found if the rule
// does not exist.
type RemoveRule struct {
	ID      uint64
	Release bool
}

func (*AddRule) input()   {}
func (RemoveRule) input() {}

// Rules are the rules of the network, oldest first.
func (n *Network) Rules() []RuleState { return slices.Clone(n.rules.List) }

func (n *Network) addRule(in *AddRule) Result {
	if len(n.rules.List) >= MaxRules {
		return refuse(refusal.Full, "there are %d rules, and no more are allowed: remove some", MaxRules)
	}
	rule := in.Rule
	if rule.Match.Kind == 0 {
		rule.Match.Kind = KindRequest
	}
	if why := wrongRule(&rule); why != "" {
		return refuse(refusal.Invalid, "%s", why)
	}
	rule.Action.Reject = completed(rule.Action.Reject)
	n.rules.Last++
	n.rules.List = append(n.rules.List, RuleState{ID: n.rules.Last, Rule: rule})
	return Result{Rule: n.rules.Last, Note: ruleNote(&rule)}
}

// wrongRule is why a rule cannot be, empty where it can.
func wrongRule(r *Rule) string {
	m, a := &r.Match, &r.Action
	switch {
	case m.Kind > KindIngress:
		return fmt.Sprintf("a rule for messages of kind %d: it must be for requests, responses or ingress messages", m.Kind)
	case len(m.Method) > MaxRuleTextBytes || len(r.Note) > MaxRuleTextBytes:
		return fmt.Sprintf("method and note of a rule may have %d bytes each", MaxRuleTextBytes)
	}
	switch a.Kind {
	case ActHold, ActDrop:
	case ActReply, ActReject:
		return wrongAnswer(a.Reply, a.Reject, a.Kind == ActReject)
	case ActUnknown:
		if m.Kind == KindIngress {
			return "a user's message cannot be answered with SYS_UNKNOWN: only callers of best-effort calls are told that. Drop it, or reject it"
		}
	case ActDelay:
		if a.Delay == 0 {
			return "a rule that delays must say by how much"
		}
	case ActMock:
		if m.Kind == KindResponse {
			return "a response cannot be mocked: mock the request, and the callee never sees it"
		}
	default:
		return fmt.Sprintf("a rule with action %d: it must hold, drop, reply, reject, answer SYS_UNKNOWN, delay or mock", a.Kind)
	}
	return ""
}

// wrongAnswer is why this answer is impossible, or empty.
func wrongAnswer(reply []byte, reject *intercanister.Reject, rejects bool) string {
	switch {
	case !rejects && reject != nil || rejects && (reject == nil || reply != nil):
		return "an answer is a reply or a reject"
	case !rejects && len(reply) > MaxRequestBytes:
		return fmt.Sprintf("a reply of %d bytes: at most %d are allowed", len(reply), MaxRequestBytes)
	case !rejects:
		return ""
	case reject.Code == intercanister.SysUnknown:
		return "invalid reject SYS_UNKNOWN: use the action that leaves the outcome unknown"
	case reject.Code < intercanister.SysFatal || reject.Code > intercanister.SysUnknown:
		return fmt.Sprintf("a reject with reject code %d: it must be one of 1 to 5", reject.Code)
	case reject.Error != 0 && (reject.Error.Reject() != reject.Code || reject.Error.Name() == ""):
		return fmt.Sprintf("a reject with reject code %d and error code %s: they do not belong together", reject.Code, reject.Error)
	case len(reject.Text) > intercanister.MaxRejectTextBytes:
		return fmt.Sprintf("a reject with a text of %d bytes: at most %d are allowed", len(reject.Text), intercanister.MaxRejectTextBytes)
	}
	return ""
}

// completed is a reject as its caller gets it: the reject of a callee without an error code gets the error code of such
// rejects; callers read the text of all others as it is.
func completed(reject *intercanister.Reject) *intercanister.Reject {
	if reject == nil || reject.Error != 0 {
		return reject
	}
	whole := *reject
	if whole.Code == intercanister.CanisterReject {
		whole.Error = intercanister.CanisterRejectedMessage
		return &whole
	}
	return whole.Barely()
}

// withErrorCode is a reject for a user. A user always reads an error code: the first of its kind if the reject came
// without one.
func withErrorCode(reject *intercanister.Reject) *intercanister.Reject {
	if reject == nil || reject.Error != 0 {
		return reject
	}
	whole := *reject
	whole.Error = map[intercanister.RejectCode]intercanister.ErrorCode{
		intercanister.SysFatal: intercanister.SubnetOversubscribed, intercanister.SysTransient: intercanister.CanisterQueueFull,
		intercanister.DestinationInvalid: intercanister.CanisterNotFound, intercanister.CanisterError: intercanister.CanisterTrapped,
	}[whole.Code]
	return &whole
}

// ruleNote tells the maker of a rule what the rule will not do.
func ruleNote(r *Rule) string {
	var notes []string
	switch {
	case r.Match.Kind == KindIngress && r.Action.Kind == ActDrop:
		notes = append(notes, "a user's message that is dropped stays received until it expires, and is rejected then (IC0202)")
	case r.Action.Kind == ActDrop || r.Action.Kind == ActUnknown:
		notes = append(notes, "only messages of best-effort calls are meant: the network never loses those of calls with guaranteed response, which pass")
	case r.Match.Kind == KindRequest && (r.Action.Kind == ActHold || r.Action.Kind == ActDelay):
		notes = append(notes, "later requests of the same caller to the same callee wait behind a held one: the network keeps their order")
	}
	return strings.Join(notes, "; ")
}

func (n *Network) removeRule(in RemoveRule) Result {
	if n.rules.Find(in.ID) == nil {
		return refuse(refusal.NotFound, "there is no rule %d", in.ID)
	}
	n.rules.List = slices.DeleteFunc(n.rules.List, func(r RuleState) bool { return r.ID == in.ID })
	if in.Release {
		n.releaseAll(in.ID)
	}
	return Result{}
}

// releaseAll lets everything go on that a rule holds, in the order of ids.
func (n *Network) releaseAll(rule uint64) {
	for _, m := range n.subnets {
		for _, h := range slices.Clone(m.Kept.All()) {
			if h.Rule == rule && m.Kept.Find(h.ID) == h && (h.Kind != KindRequest || m.Kept.Before(&h.Request, h.ID) == 0) {
				m.letGo(h)
			} else if h.Rule == rule && m.Kept.Find(h.ID) == h {
				h.Rule, h.Behind = 0, m.Kept.Before(&h.Request, h.ID)
			}
		}
	}
}

// guarded reports whether a subnet must look at the messages on their way.
func (m *subnet) guarded() bool { return len(m.net.rules.List) > 0 || m.Kept.Len() > 0 }

// caught applies the rules to a request that its sender releases. It is false if the request is to go on.
func (m *subnet) caught(q *intercanister.Request) bool {
	p := state.RoutedMessage{Kind: KindRequest, Caller: q.Sender, Callee: q.Receiver, Method: q.Method, Bounded: q.Deadline != 0}
	rule := m.net.rules.Apply(&p)
	if rule == nil {
		before := m.Kept.Before(q, m.net.rules.Count+1)
		return before != 0 && m.keep(&state.Held{Kind: KindRequest, Request: *q, Behind: before}, nil)
	}
	m.emitMatched(rule, &p, q.Call, nil)
	switch rule.Action.Kind {
	case ActHold, ActDelay, ActMock:
		return m.keep(&state.Held{Kind: KindRequest, Request: *q}, rule)
	case ActDrop:
		m.emitFault(rule.ID, &p, q.Call, ActDrop, nil)
		m.giveBack(q.Sender, q.Cycles)
		return true
	}
	response := answerOf(&rule.Action)
	response.Refund = q.Cycles
	m.emitFault(rule.ID, &p, q.Call, rule.Action.Kind, response.Reject)
	m.deliver(q.Sender, q.Call, response)
	return true
}

// answerOf is what an action that answers says.
func answerOf(a *Action) intercanister.Response {
	switch a.Kind {
	case ActReply:
		return intercanister.Response{Reply: a.Reply}
	case ActReject:
		return intercanister.Response{Reject: a.Reject}
	}
	return intercanister.Response{Reject: rejectResponseDropped()}
}

// caughtResponse asks the rules about a response to a call of this subnet that waits.
func (m *subnet) caughtResponse(call intercanister.CallID, f *intercanister.Future, response *intercanister.Response) bool {
	p := state.RoutedMessage{Kind: KindResponse, Caller: f.Owner, Callee: f.Callee, Method: f.Method, Bounded: f.Deadline != 0}
	rule := m.net.rules.Apply(&p)
	if rule == nil {
		return false
	}
	m.emitMatched(rule, &p, call, nil)
	switch rule.Action.Kind {
	case ActHold, ActDelay:
		return m.keep(&state.Held{Kind: KindResponse, Call: call, Owner: f.Owner, Response: *response, Deadline: f.Deadline}, rule)
	case ActDrop:
		m.emitFault(rule.ID, &p, call, ActDrop, nil)
		m.giveBack(f.Owner, response.Refund)
		return true
	}
	instead := answerOf(&rule.Action)
	instead.Refund = response.Refund
	m.emitFault(rule.ID, &p, call, rule.Action.Kind, instead.Reject)
	m.deliver(f.Owner, call, instead)
	return true
}

// caughtIngress asks the rules about a user's message that was accepted.
func (m *subnet) caughtIngress(in *state.Ingress, command bool) bool {
	p := state.RoutedMessage{Kind: KindIngress, Caller: in.Sender, Callee: in.Receiver, Method: in.Method}
	rule := m.net.rules.Apply(&p)
	if rule == nil {
		return false
	}
	m.emitMatched(rule, &p, 0, in)
	switch rule.Action.Kind {
	case ActHold, ActDelay, ActMock:
		return m.keep(&state.Held{Kind: KindIngress, Ingress: in.Number, Command: command, Argument: len(in.Arg)}, rule)
	case ActDrop:
		m.emitIngressFault(rule.ID, in, ActDrop, nil)
		return true
	}
	response := answerOf(&rule.Action)
	m.emitIngressFault(rule.ID, in, rule.Action.Kind, response.Reject)
	m.answerIngress(in, response.Reply, withErrorCode(response.Reject))
	return true
}

// callee is the principal a message was sent to, as events have it: a canister.
func callee(p principal.Principal, in *state.Ingress) principal.Principal {
	if in != nil && p == principal.Management {
		return in.Effective
	}
	return p
}
