package property

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/candid/relation"
	"github.com/canisterd/canisterd/explore/harness"
)

// Names reads what users write about canisters.
type Names struct {
	// Canister is the canister with a name or an id; false if there is none.
	Canister func(name string) (principal.Principal, bool)
	// Argument encodes arguments in Candid text at the types of a method; nil: at the types that they have by themselves.
	Argument func(canister principal.Principal, method, text string) ([]byte, error)
}

// ParseInvariant reads a line such as
//
//	vault paidOut <= 100
//	each message: ledger balance (record { owner = "a" }) == bank owed
//	eventually: vault locked == false
//
// A side is a value in Candid text, or a canister with a query and its arguments; the left side is a query.
func (n *Names) ParseInvariant(line string) (*Invariant, error) {
	p := &Invariant{Title: strings.TrimSpace(line)}
	moment, rest := relation.CutMoment(p.Title)
	p.When = moments[moment]
	left, is, right := relation.Split(rest)
	if is == "" {
		return nil, fmt.Errorf("invalid invariant %q: expected a query, one of %s, and a value or a query, for example: vault paidOut <= 100", line, strings.Join(relation.All, " "))
	}
	p.Relation = is
	query, err := n.ParseQuery(left)
	if err != nil {
		return nil, fmt.Errorf("invalid invariant %q: %w", line, err)
	}
	p.Left = *query
	if word, more, _ := strings.Cut(strings.TrimSpace(right), " "); more != "" {
		if _, found := n.Canister(word); found {
			if p.Right, err = n.ParseQuery(right); err != nil {
				return nil, fmt.Errorf("invalid invariant %q: %w", line, err)
			}
			return p, nil
		}
	}
	if p.Value, err = candid.ParseValue(strings.TrimSpace(right)); err != nil {
		return nil, fmt.Errorf("invalid invariant %q: the right side is neither a query nor a Candid value: %w", line, err)
	}
	return p, nil
}

// moments are when an invariant must hold, by the word before it.
var moments = map[string]When{"": AtRest, relation.EachMessage: EachMessage, relation.Eventually: Eventually}

// ParseQuery reads a canister, a query and its arguments: ledger balance ("a"). Quotes around the query are left out.
func (n *Names) ParseQuery(text string) (*harness.Query, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	method, arguments, _ := strings.Cut(rest, "(")
	method = strings.Trim(strings.TrimSpace(method), `"`)
	if method == "" {
		return nil, fmt.Errorf("invalid query %q: expected a canister and a query, for example: vault paidOut", text)
	}
	id, found := n.Canister(name)
	if !found {
		return nil, fmt.Errorf("invalid query %q: no canister has the name %q", text, name)
	}
	q := &harness.Query{Canister: id, Sender: principal.Anonymous, Method: method, Arg: noArguments}
	if arguments == "" {
		return q, nil
	}
	arg, err := n.argument(id, method, "("+arguments)
	if err != nil {
		return nil, fmt.Errorf("invalid query %q: %w", text, err)
	}
	q.Arg = arg
	return q, nil
}

func (n *Names) argument(id principal.Principal, method, text string) ([]byte, error) {
	if n.Argument != nil {
		return n.Argument(id, method, text)
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}
