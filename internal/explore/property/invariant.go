package property

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Invariant compares the first result of a query with a value, or with the first result of another query.
type Invariant struct {
	Title    string // as the user wrote it
	Left     harness.Query
	Relation string
	Right    *harness.Query // nil: the right side is Value
	Value    candid.Value
	When     When
}

// Name returns the title.
func (p *Invariant) Name() string { return p.Title }

// Queries returns the queries that the invariant compares.
func (p *Invariant) Queries() []harness.Query {
	if p.Right == nil {
		return []harness.Query{p.Left}
	}
	return []harness.Query{p.Left, *p.Right}
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

func (p *Invariant) check(r *harness.Run) []Violation {
	holds, text := p.Holds(r)
	if holds {
		return nil
	}
	return []Violation{{Property: p.Title, Canister: p.Left.Canister, Method: p.Left.Method, Text: text}}
}

// Holds reports whether the invariant holds in the present state. If not, the text has the values of both sides.
func (p *Invariant) Holds(r *harness.Run) (holds bool, text string) {
	left, err := ask(r, &p.Left)
	right := p.Value
	if err == nil && p.Right != nil {
		right, err = ask(r, p.Right)
	}
	if err == nil {
		holds, err = relation.Holds(left, p.Relation, right)
	}
	switch {
	case err != nil:
		return false, fmt.Sprintf("%s does not hold: %s", p.Title, err)
	case holds:
		return true, ""
	}
	return false, fmt.Sprintf("%s does not hold: the left side is %s, the right side %s", p.Title, r.WithNames(candid.Format(left)), r.WithNames(candid.Format(right)))
}

// ask returns the first result of a query.
func ask(r *harness.Run, q *harness.Query) (candid.Value, error) {
	reply, err := r.Query(q)
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
