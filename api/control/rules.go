package control

import (
	"context"
	"sort"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

var messageKinds = map[replica.MessageKind]controlv1.MessageKind{
	replica.KindRequest:  controlv1.MessageKind_MESSAGE_KIND_REQUEST,
	replica.KindResponse: controlv1.MessageKind_MESSAGE_KIND_RESPONSE,
	replica.KindIngress:  controlv1.MessageKind_MESSAGE_KIND_INGRESS,
}

// AddRule adds a rule for matching messages.
func (s *messages) AddRule(ctx context.Context, in *controlv1.AddRuleRequest) (*controlv1.AddRuleResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	rule, err := s.readRule(ctx, i, in.GetRule())
	if err != nil {
		return nil, err
	}
	result, err := addRule(ctx, i, rule)
	if err != nil {
		return nil, err
	}
	return &controlv1.AddRuleResponse{Rule: shownRule(&replica.RuleState{ID: result.Rule, Rule: *rule}), Warning: replica.RuleWarning(rule)}, nil
}

func addRule(ctx context.Context, i *instance.Instance, rule *replica.Rule) (replica.Result, error) {
	return applyTo(ctx, i, &replica.AddRule{Rule: *rule}, refusals{refusal.Invalid: badRule, refusal.Full: tooManyRules})
}

func (s *messages) readRule(ctx context.Context, i *instance.Instance, in *controlv1.Rule) (*replica.Rule, error) {
	if in == nil {
		return nil, MissingField.Refuse("rule", "which messages match, and what becomes of them")
	}
	match, err := readMatch(in.GetMatch())
	if err != nil {
		return nil, err
	}
	rule := &replica.Rule{Match: match, Note: in.GetNote()}
	rule.Action, err = s.readAction(ctx, i, in, &match)
	return rule, err
}

func readMatch(in *controlv1.Match) (m replica.Match, err error) {
	switch in.GetKind() {
	case controlv1.MessageKind_MESSAGE_KIND_UNSPECIFIED, controlv1.MessageKind_MESSAGE_KIND_REQUEST:
		m.Kind = replica.KindRequest
	case controlv1.MessageKind_MESSAGE_KIND_RESPONSE:
		m.Kind = replica.KindResponse
	case controlv1.MessageKind_MESSAGE_KIND_INGRESS:
		m.Kind = replica.KindIngress
	default:
		return m, BadField.Refuse("rule.match.kind", in.GetKind(), "expected one of MessageKind")
	}
	if m.Caller, err = readAny("rule.match.caller", in.GetCaller()); err != nil {
		return m, err
	}
	m.Callee, err = readAny("rule.match.callee", in.GetCallee())
	m.Method, m.Skip, m.Times = in.GetMethod(), in.GetSkip(), in.GetTimes()
	return m, err
}

func (s *messages) readAction(ctx context.Context, i *instance.Instance, in *controlv1.Rule, match *replica.Match) (a replica.Action, err error) {
	unset := func(field string) (replica.Action, error) {
		return a, BadField.Refuse(field, false, "set it to true, or choose another action")
	}
	switch does := in.GetAction().(type) {
	case *controlv1.Rule_Hold:
		if !does.Hold {
			return unset("rule.hold")
		}
		a.Kind = replica.ActHold
	case *controlv1.Rule_Drop:
		if !does.Drop {
			return unset("rule.drop")
		}
		a.Kind = replica.ActDrop
	case *controlv1.Rule_Delay:
		a.Kind = replica.ActDelay
		if err := does.Delay.CheckValid(); err != nil || does.Delay.AsDuration() <= 0 {
			return a, BadField.Refuse("rule.delay", does.Delay.AsDuration(), "expected a positive google.protobuf.Duration")
		}
		a.Delay = uint64(does.Delay.AsDuration())
	case *controlv1.Rule_Answer:
		answer, err := s.readAnswer(ctx, i, "rule.answer", does.Answer, answered{match.Callee, match.Method})
		switch {
		case err != nil:
			return a, err
		case answer.Unknown:
			a.Kind = replica.ActUnknown
		case answer.Reject != nil:
			a.Kind, a.Reject = replica.ActReject, answer.Reject
		default:
			a.Kind, a.Reply = replica.ActReply, answer.Reply
		}
	default:
		return a, MissingField.Refuse("rule.action", "hold, drop, answer or delay")
	}
	return a, nil
}

// shownRule shows a rule; the reply of one that answers is shown in bytes.
func shownRule(r *replica.RuleState) *controlv1.Rule {
	m := &controlv1.Match{Kind: messageKinds[r.Match.Kind], Method: r.Match.Method, Skip: r.Match.Skip, Times: r.Match.Times}
	if r.Match.Caller != nil {
		m.Caller = r.Match.Caller.String()
	}
	if r.Match.Callee != nil {
		m.Callee = r.Match.Callee.String()
	}
	shown := &controlv1.Rule{RuleId: r.ID, Match: m, Matched: r.Matched, Seen: r.Seen, Passed: r.Passed, Note: r.Note}
	switch r.Action.Kind {
	case replica.ActHold:
		shown.Action = &controlv1.Rule_Hold{Hold: true}
	case replica.ActDrop:
		shown.Action = &controlv1.Rule_Drop{Drop: true}
	case replica.ActDelay:
		shown.Action = &controlv1.Rule_Delay{Delay: durationpb.New(asDuration(r.Action.Delay))}
	case replica.ActMock:
		shown.Mock = true
	case replica.ActReply, replica.ActReject, replica.ActUnknown:
		shown.Action = &controlv1.Rule_Answer{Answer: shownAnswer(&r.Action)}
	}
	return shown
}

// RemoveRule removes a rule.
func (s *messages) RemoveRule(ctx context.Context, in *controlv1.RemoveRuleRequest) (*controlv1.RemoveRuleResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	type removed struct {
		refusal  *refusal.Refusal
		released int
	}
	done, err := driver.Ask(ctx, i.Driver(), func(n *replica.Network) removed {
		before := n.ExternalWaits().Held
		result := n.Apply(replica.RemoveRule{ID: in.GetRuleId(), Release: in.GetRelease()})
		return removed{result.Refusal, before - n.ExternalWaits().Held}
	})
	switch {
	case err != nil:
		return nil, err
	case done.refusal != nil:
		return nil, ruleUnknown.Refuse(done.refusal.Text)
	}
	return &controlv1.RemoveRuleResponse{Released: uint64(done.released)}, nil
}

// ListRules lists the rules, the oldest first.
func (s *messages) ListRules(ctx context.Context, in *controlv1.ListRulesRequest) (*controlv1.ListRulesResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	page, err := readPage(in.GetPage(), "")
	if err != nil {
		return nil, err
	}
	rules, err := driver.ReadValue(ctx, i.Driver(), (*replica.Network).Rules)
	if err != nil {
		return nil, err
	}
	rules = rules[sort.Search(len(rules), func(at int) bool { return rules[at].ID > page.After.ID }):]
	shown := within(min(page.Limit, len(rules)), func(at int) int { return ruleBytes(&rules[at]) })
	out := &controlv1.ListRulesResponse{}
	for at := range rules[:shown] {
		out.Rules = append(out.Rules, shownRule(&rules[at]))
	}
	if shown < len(rules) {
		out.NextPageToken = pageToken(&introspect.Cursor{ID: rules[shown-1].ID})
	}
	return out, nil
}

// ruleBytes returns the bytes of a rule on a page whose length clients chose.
func ruleBytes(r *replica.RuleState) int {
	bytes := len(r.Match.Method) + len(r.Note) + len(r.Action.Reply)
	if r.Action.Reject != nil {
		bytes += len(r.Action.Reject.Text)
	}
	return bytes
}
