package property

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Invariant compares two sides.
type Invariant struct {
	Title    string // as the user wrote it
	Left     Side   // has a query
	Relation string
	Right    Side
	When     When
}

// Name returns the title.
func (p *Invariant) Name() string { return p.Title }

// Queries returns the queries that the invariant compares.
func (p *Invariant) Queries() []harness.Query {
	return p.Right.appendQueries(p.Left.appendQueries(nil))
}

// AtRest checks the invariant.
func (p *Invariant) AtRest(r *harness.Run) []Violation { return p.check(r) }

// AfterMessage checks the invariant if it must hold after each message.
func (p *Invariant) AfterMessage(r *harness.Run) []Violation {
	if p.When != EachMessage {
		return nil
	}
	return p.check(r)
}

// check returns a violation about the first query of the left side.
func (p *Invariant) check(r *harness.Run) []Violation {
	holds, text := p.Holds(r)
	if holds {
		return nil
	}
	first := p.Left.appendQueries(nil)[0]
	return []Violation{{Property: p.Title, Canister: first.Canister, Method: first.Method, Text: text}}
}

// Holds reports whether the invariant holds in the present state. If not, the text has the values of both sides.
func (p *Invariant) Holds(r *harness.Run) (holds bool, text string) {
	left, err := p.Left.evaluate(r, false)
	var right operand
	if err == nil {
		right, err = p.Right.evaluate(r, false)
	}
	if err == nil {
		holds, err = left.compare(p.Relation, &right)
	}
	switch {
	case err != nil:
		return false, fmt.Sprintf("%s does not hold: %s", p.Title, err)
	case holds:
		return true, ""
	}
	return false, fmt.Sprintf("%s does not hold: the left side is %s, the right side %s", p.Title, left.text(r), right.text(r))
}

// compare reports whether a relation holds between two operands.
func (o *operand) compare(is string, right *operand) (bool, error) {
	switch {
	case o.number != nil && right.number != nil:
		return relation.HoldsBetween(o.number, is, right.number)
	case o.value == nil:
		return false, fmt.Errorf("%s is a number, and %s is not", o.terms, candid.Format(right.value))
	case right.value == nil:
		return false, fmt.Errorf("%s is a number, and %s is not", right.terms, candid.Format(o.value))
	}
	return relation.Holds(o.value, is, right.value)
}

// ask returns the first result of a query in the present state of a run.
func ask(r *harness.Run, q *harness.Query) (candid.Value, error) { return firstResult(r.Query, q) }

// firstResult returns the first result of a query.
func firstResult(ask func(*harness.Query) ([]byte, error), q *harness.Query) (candid.Value, error) {
	reply, err := ask(q)
	if err != nil {
		return nil, err
	}
	values, _, err := candid.Decode(reply)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the reply of query %s is not Candid: %w", q.Method, err)
	case len(values) == 0:
		return nil, fmt.Errorf("query %s has no result to compare", q.Method)
	}
	return values[0], nil
}
