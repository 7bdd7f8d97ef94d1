package faults

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Add adds a rule, in force from now on, and returns its id. It is refused as invalid if no network could have its
// effects, as full if there are MaxRules.
func Add(rules *state.Rules, rule state.Rule) (id uint64, refused *refusal.Refusal) {
	if len(rules.List) >= MaxRules {
		return 0, refusal.New(refusal.Full, "there are %d rules, and no more are allowed: remove some", MaxRules)
	}
	if rule.Match.Kind == 0 {
		rule.Match.Kind = state.KindRequest
	}
	if why := CheckRule(&rule); why != "" {
		return 0, refusal.New(refusal.Invalid, "%s", why)
	}
	rule.Action.Reject = completed(rule.Action.Reject)
	rules.Last++
	rules.List = append(rules.List, state.RuleState{ID: rules.Last, Rule: rule})
	return rules.Last, nil
}

// Remove removes a rule. Its held messages stay held. It is refused as not found if the rule does not exist.
func Remove(rules *state.Rules, id uint64) *refusal.Refusal {
	if rules.Find(id) == nil {
		return refusal.New(refusal.NotFound, "there is no rule %d", id)
	}
	rules.List = slices.DeleteFunc(rules.List, func(r state.RuleState) bool { return r.ID == id })
	return nil
}

// CheckRule returns why a rule is invalid, empty if it is valid.
func CheckRule(r *state.Rule) string {
	m, a := &r.Match, &r.Action
	switch {
	case m.Kind > state.KindIngress:
		return fmt.Sprintf("a rule for messages of kind %d: it must be for requests, responses or ingress messages", m.Kind)
	case len(m.Method) > MaxRuleTextBytes || len(r.Note) > MaxRuleTextBytes:
		return fmt.Sprintf("method and note of a rule may have %d bytes each", MaxRuleTextBytes)
	}
	switch a.Kind {
	case state.ActHold, state.ActDrop:
	case state.ActReply, state.ActReject:
		return checkAnswer(a.Reply, a.Reject, a.Kind == state.ActReject)
	case state.ActUnknown:
		if m.Kind == state.KindIngress {
			return "a user's message cannot be answered with SYS_UNKNOWN: only callers of best-effort calls are told that. Drop it, or reject it"
		}
	case state.ActDelay:
		if a.Delay == 0 {
			return "a rule that delays must say by how much"
		}
	case state.ActMock:
		if m.Kind == state.KindResponse {
			return "a response cannot be mocked: mock the request, and the callee never sees it"
		}
	default:
		return fmt.Sprintf("a rule with action %d: it must hold, drop, reply, reject, answer SYS_UNKNOWN, delay or mock", a.Kind)
	}
	return ""
}

// checkAnswer returns why this answer is impossible, or an empty text.
func checkAnswer(reply []byte, reject *intercanister.Reject, rejects bool) string {
	switch {
	case !rejects && reject != nil || rejects && (reject == nil || reply != nil):
		return "an answer is a reply or a reject"
	case !rejects && len(reply) > MaxReplyBytes:
		return fmt.Sprintf("a reply of %d bytes: at most %d are allowed", len(reply), MaxReplyBytes)
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

// completed returns a reject as its caller receives it: the reject of a callee without an error code gets the error
// code of such rejects; callers read the text of all others unchanged.
func completed(reject *intercanister.Reject) *intercanister.Reject {
	if reject == nil || reject.Error != 0 {
		return reject
	}
	whole := *reject
	if whole.Code == intercanister.CanisterReject {
		whole.Error = intercanister.CanisterRejectedMessage
		return &whole
	}
	return whole.WithoutErrorCode()
}

// Warning returns what a rule will not do, for its maker. It is empty if there is nothing to say.
func Warning(r *state.Rule) string {
	requests := r.Match.Kind == 0 || r.Match.Kind == state.KindRequest
	switch {
	case r.Match.Kind == state.KindIngress && r.Action.Kind == state.ActDrop:
		return "a user's message that is dropped stays received until it expires, and is rejected then (IC0202)"
	case r.Action.Kind == state.ActDrop || r.Action.Kind == state.ActUnknown:
		return "only messages of best-effort calls are meant: the network never loses those of calls with guaranteed response, which pass"
	case requests && (r.Action.Kind == state.ActHold || r.Action.Kind == state.ActDelay):
		return "later requests of the same caller to the same callee wait behind a held one: the network keeps their order"
	}
	return ""
}
