package introspect

import (
	"cmp"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// ruleItems returns rules for messages in transit, with their counters.
func ruleItems(rules *state.Rules) (all []item) {
	who := func(p *principal.Principal) string {
		switch {
		case p == nil:
			return "anybody"
		case *p == principal.Management:
			return "the management canister"
		}
		return p.String()
	}
	for i := range rules.List {
		r := &rules.List[i]
		m, a := &r.Match, &r.Action
		text := fmt.Sprintf("%s %s → %s.%s", m.Kind, who(m.Caller), who(m.Callee), cmp.Or(m.Method, "*"))
		if m.Skip > 0 {
			text += fmt.Sprintf(", after %d", m.Skip)
		}
		if m.Times > 0 {
			text += ", " + counted(m.Times, "time")
		}
		text += ": " + a.Kind.String()
		switch {
		case a.Kind == state.ActReply:
			text += " with " + counted(len(a.Reply), "byte")
		case a.Reject != nil:
			text += " with " + a.Reject.String()
		case a.Kind == state.ActDelay:
			text += " by " + number(a.Delay) + " ns"
		}
		all = append(all, numbered(r.ID, fmt.Sprintf("%s; %d seen, %d matched, %d passed", text, r.Seen, r.Matched, r.Passed)))
	}
	return all
}
