package replicatest

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// rule makes a rule.
func (p *performer) rule(words []string) {
	var r replica.Rule
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		argument := func() string {
			first := words[0]
			words = words[1:]
			return first
		}
		switch word {
		case "request", "response", "ingress":
			r.Match.Kind = map[string]replica.MessageKind{"request": replica.KindRequest, "response": replica.KindResponse, "ingress": replica.KindIngress}[word]
		case "from":
			r.Match.Caller = p.principal(argument())
		case "to":
			r.Match.Callee = p.principal(argument())
		case "method":
			r.Match.Method = argument()
		case "skip":
			r.Match.Skip = uint64(p.number(argument()))
		case "times":
			r.Match.Times = uint64(p.number(argument()))
		default:
			r.Action, words = p.action(word, words), nil
		}
	}
	result := p.stage.Apply(&replica.AddRule{Rule: r})
	warning := replica.RuleWarning(&r)
	switch {
	case result.Refusal != nil:
		p.refused(result)
	case warning != "":
		p.say("rule %d: %s", result.Rule, warning)
	default:
		p.say("rule %d", result.Rule)
	}
}

func (p *performer) action(word string, words []string) (a replica.Action) {
	switch word {
	case "hold":
		a.Kind = replica.ActHold
	case "drop":
		a.Kind = replica.ActDrop
	case "mock":
		a.Kind = replica.ActMock
	case "delay":
		a.Kind, a.Delay = replica.ActDelay, uint64(p.number(words[0]))*1_000_000_000
	default:
		answer := p.settlement(word, words)
		a = replica.Action{Kind: replica.ActReply, Reply: answer.Reply, Reject: answer.Reject}
		switch {
		case answer.Unknown:
			a.Kind = replica.ActUnknown
		case answer.Reject != nil:
			a.Kind = replica.ActReject
		}
	}
	return a
}

// settlement reads an answer.
func (p *performer) settlement(word string, words []string) (s replica.Settlement) {
	switch word {
	case "reply":
		s.Reply = []byte(words[0])
	case "reject":
		s.Reject = &intercanister.Reject{Code: intercanister.RejectCode(p.number(words[0])), Text: words[1]}
	case "unknown":
		s.Unknown = true
	default:
		p.t.Fatalf("invalid effect of a rule %q: expected hold, drop, unknown, mock, delay SECONDS or an answer", word)
	}
	return s
}

// principal returns a canister, the user or the management canister.
func (p *performer) principal(word string) *principal.Principal {
	id := p.stage.Sender
	switch word {
	case "user":
	case "management":
		id = principal.Management
	default:
		id = p.stage.ID(p.number(word))
	}
	return &id
}

func (p *performer) refused(result replica.Result) {
	if result.Refusal != nil {
		p.say("refused %s: %s", result.Refusal.Kind, result.Refusal.Text)
	}
}
