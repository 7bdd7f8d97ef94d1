package property

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/candid/relation"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Names reads what users write about canisters and users.
type Names struct {
	// Canister is the principal with a name or an id; false if there is none.
	Canister func(name string) (principal.Principal, bool)
	// Name is the name of a principal, "" if it has none; nil: no principal has one.
	Name func(principal.Principal) string
	// Known are the names that a mistyped one may stand for.
	Known []string
	// Argument encodes arguments in Candid text at the types of a method; nil: at the types that they have by themselves.
	Argument func(canister principal.Principal, method, text string) ([]byte, error)
}

// Find returns the principal with a name or an id. The error suggests the name that was probably meant.
func (n *Names) Find(name string) (principal.Principal, error) {
	id, found := n.Canister(name)
	if !found {
		return id, fmt.Errorf("no canister has the name %q%s%s", name, reference.Meant(name, n.Known), reference.WhyNoPrincipal(name))
	}
	return id, nil
}

// Title returns a line with references in place of ids: it means the same in a network with other ids.
func (n *Names) Title(line string) string {
	if n.Name == nil {
		return strings.TrimSpace(line)
	}
	return reference.Write(strings.TrimSpace(line), n.Name)
}

// resolve replaces the references in a line by ids.
func (n *Names) resolve(line string) (string, error) {
	return reference.Resolve(line, func(name string) (string, error) {
		id, err := n.Find(name)
		return id.String(), err
	})
}

// ParseInvariant reads a line such as
//
//	vault paidOut <= 100
//	each message: ledger balance (record { owner = "a" }) == bank owed
//	eventually: vault locked == false
//	app balance + ledger paid == old(app balance)
//
// A side is a value in Candid text, a canister with a query and its arguments, or a sum, a difference or a product of
// these; old(…) is a side in the state before the first message. The left side has a query. ${NAME} is the id of a
// canister or an identity.
func (n *Names) ParseInvariant(line string) (*Invariant, error) {
	p := &Invariant{Title: n.Title(line)}
	resolved, err := n.resolve(p.Title)
	if err != nil {
		return nil, fmt.Errorf("invalid invariant %q: %w", line, err)
	}
	moment, rest := relation.CutMoment(resolved)
	p.When = moments[moment]
	left, is, right := relation.Split(rest)
	if is == "" {
		return nil, fmt.Errorf("invalid invariant %q: expected a query, one of %s, and a value or a query, for example: vault paidOut <= 100", line, strings.Join(relation.All, " "))
	}
	p.Relation = is
	terms := maxTerms
	if p.Left, err = n.parseSide(left, n.parseQueryOrNumber, &terms); err != nil {
		return nil, fmt.Errorf("invalid invariant %q: %w", line, err)
	}
	if len(p.Left.appendQueries(nil)) == 0 {
		return nil, fmt.Errorf("invalid invariant %q: the left side has no query: begin with one, for example: vault paidOut <= 100", line)
	}
	if p.Right, err = n.parseSide(right, n.parseQueryOrValue, &terms); err != nil {
		return nil, fmt.Errorf("invalid invariant %q: %w", line, err)
	}
	return p, nil
}

// moments are when an invariant must hold, by the word before it.
var moments = map[string]When{"": AtRest, relation.EachMessage: EachMessage, relation.Eventually: Eventually}

// parseSide reads one side of an invariant. Term reads what is between its operators. Terms is how many terms the line may
// still have.
func (n *Names) parseSide(text string, term func(string) (Side, error), terms *int) (Side, error) {
	text = strings.TrimSpace(text)
	if left, operator, right := relation.CutOperator(text); operator != "" {
		l, err := n.parseSide(left, n.parseQueryOrNumber, terms)
		if err != nil {
			return nil, err
		}
		r, err := n.parseSide(right, n.parseQueryOrNumber, terms)
		return Arithmetic{l, operator, r}, err
	}
	if *terms--; *terms < 0 {
		return nil, fmt.Errorf("more than %d queries and values: expected at most %[1]d: add them up in a query of a canister", maxTerms)
	}
	if inner, old := strings.CutPrefix(text, "old("); old && strings.HasSuffix(inner, ")") {
		of, err := n.parseSide(strings.TrimSuffix(inner, ")"), term, terms)
		return Old{of}, err
	}
	return term(text)
}

// parseQueryOrNumber reads a term that must be a query or a number.
func (n *Names) parseQueryOrNumber(text string) (Side, error) {
	if v, err := candid.ParseValue(text); err == nil && relation.Number(v) != nil {
		return Constant{v}, nil
	}
	q, err := n.parseQuery(text)
	if err != nil {
		return nil, err
	}
	return Result{*q}, nil
}

// parseQueryOrValue reads a term that is a query or any value.
func (n *Names) parseQueryOrValue(text string) (Side, error) {
	word, more, _ := strings.Cut(text, " ")
	if _, found := n.Canister(word); found && more != "" {
		q, err := n.parseQuery(text)
		if err != nil {
			return nil, err
		}
		return Result{*q}, nil
	}
	v, err := candid.ParseValue(text)
	if err != nil {
		return nil, fmt.Errorf("the right side is neither a query nor a Candid value%s: %w", reference.Meant(word, n.Known), err)
	}
	return Constant{v}, nil
}

// ParseQuery reads a canister, a query and its arguments: ledger balance ("${bank}"). Quotes around the query are left out.
func (n *Names) ParseQuery(text string) (*harness.Query, error) {
	resolved, err := n.resolve(text)
	if err != nil {
		return nil, fmt.Errorf("invalid query %q: %w", text, err)
	}
	return n.parseQuery(resolved)
}

// parseQuery is ParseQuery for a text without references.
func (n *Names) parseQuery(text string) (*harness.Query, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	method, arguments, _ := strings.Cut(rest, "(")
	method = strings.Trim(strings.TrimSpace(method), `"`)
	if method == "" {
		return nil, fmt.Errorf("invalid query %q: expected a canister and a query, for example: vault paidOut", text)
	}
	id, err := n.Find(name)
	if err != nil {
		return nil, fmt.Errorf("invalid query %q: %w", text, err)
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
