package property

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// foundPrefix is the prefix of the names of queries that are invariants.
const foundPrefix = "invariant_"

// Stated is an invariant that a canister states: a query without arguments whose name begins with invariant_. It holds
// if the query returns true, or null for the result type opt text; a text says why it does not hold.
type Stated struct {
	atRest
	Query harness.Query
	Owner string // name of the canister
}

// StatedBy returns the invariants that the canisters of a network state.
func StatedBy(n *replica.Network, name func(principal.Principal) string) (all []Property) {
	for _, report := range n.Introspect().Reports(principal.Principal{}, maxCanisters) {
		if report.Module == nil {
			continue
		}
		var methods []string
		for _, m := range report.Module.Methods() {
			if m.Kind == canister.QueryMethod && strings.HasPrefix(m.Name, foundPrefix) {
				methods = append(methods, m.Name)
			}
		}
		for _, method := range methods {
			query := harness.Query{Canister: report.ID, Sender: principal.Anonymous, Method: method, Arg: noArguments}
			all = append(all, &Stated{Query: query, Owner: name(report.ID)})
		}
	}
	return all
}

// noArguments encodes empty Candid arguments.
var noArguments = []byte("DIDL\x00\x00")

// Name returns the canister and the query.
func (p *Stated) Name() string { return p.Owner + " " + p.Query.Method }

// AtRest checks the invariant.
func (p *Stated) AtRest(r *harness.Run) []Violation {
	why := p.why(r)
	if why == "" {
		return nil
	}
	return []Violation{{
		Property: p.Name(), Canister: p.Query.Canister, Method: p.Query.Method,
		Text: fmt.Sprintf("%s of %s does not hold: %s", p.Query.Method, p.Owner, why),
	}}
}

// why returns why the invariant does not hold, "" if it does.
func (p *Stated) why(r *harness.Run) string {
	result, err := ask(r, &p.Query)
	if err != nil {
		return err.Error()
	}
	switch v := result.(type) {
	case candid.Bool:
		if !v {
			return "the query answers false"
		}
		return ""
	case candid.Null:
		return ""
	case candid.Opt:
		if v.Value == nil {
			return ""
		}
		if text, ok := v.Value.(candid.Text); ok {
			return string(text)
		}
		return candid.Format(v.Value)
	}
	return fmt.Sprintf("invalid result %s: expected a bool, or an opt text that is null while the invariant holds", candid.Format(result))
}

// Func is an invariant in Go.
type Func struct {
	Title string
	// Holds returns why the invariant does not hold, nil if it does.
	Holds func(r *harness.Run) error
	When  When
}

// Name returns the title.
func (p *Func) Name() string { return p.Title }

// AtRest checks the invariant.
func (p *Func) AtRest(r *harness.Run) []Violation {
	if err := p.Holds(r); err != nil {
		return []Violation{{Property: p.Title, Text: fmt.Sprintf("%s does not hold: %s", p.Title, err)}}
	}
	return nil
}

// AfterMessage checks the invariant if it must hold after each message.
func (p *Func) AfterMessage(r *harness.Run) []Violation {
	if p.When != EachMessage {
		return nil
	}
	return p.AtRest(r)
}
