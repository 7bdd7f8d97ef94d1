package property

import (
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Side is one side of an invariant: Result, Constant, Old or Arithmetic.
type Side interface {
	// evaluate returns the side in the present state of a run, or in the state in which the run began.
	evaluate(r *harness.Run, before bool) (operand, error)
	// appendQueries appends the queries of the side.
	appendQueries(all []harness.Query) []harness.Query
}

// operand is the value of a side.
type operand struct {
	value  candid.Value // nil for the result of arithmetic, which has no Candid type
	number *big.Rat     // nil: the value is not a number
	terms  string       // of arithmetic: 60 + 40
}

// text returns an operand for people.
func (o *operand) text(r *harness.Run) string {
	if o.value != nil {
		return r.WithNames(candid.Format(o.value))
	}
	return fmt.Sprintf("%s = %s", o.terms, relation.FormatNumber(o.number))
}

// term returns an operand as a part of a longer term.
func (o *operand) term() string {
	if o.value != nil {
		return relation.FormatNumber(o.number)
	}
	return o.terms
}

func operandOf(v candid.Value) operand { return operand{value: v, number: relation.Number(v)} }

// Result is the first result of a query.
type Result struct{ Query harness.Query }

func (s Result) evaluate(r *harness.Run, before bool) (operand, error) {
	ask := r.Query
	if before {
		ask = r.QueryBefore
	}
	v, err := firstResult(ask, &s.Query)
	return operandOf(v), err
}

func (s Result) appendQueries(all []harness.Query) []harness.Query { return append(all, s.Query) }

// Constant is a value.
type Constant struct{ Value candid.Value }

func (s Constant) evaluate(*harness.Run, bool) (operand, error) { return operandOf(s.Value), nil }

func (s Constant) appendQueries(all []harness.Query) []harness.Query { return all }

// Old is a side in the state before the first message of the run.
type Old struct{ Of Side }

func (s Old) evaluate(r *harness.Run, _ bool) (operand, error) { return s.Of.evaluate(r, true) }

func (s Old) appendQueries(all []harness.Query) []harness.Query { return s.Of.appendQueries(all) }

// Arithmetic is a sum, a difference or a product of numbers.
type Arithmetic struct {
	Left     Side
	Operator string // one of relation.Operators
	Right    Side
}

func (s Arithmetic) evaluate(r *harness.Run, before bool) (o operand, err error) {
	left, err := s.Left.evaluate(r, before)
	if err != nil {
		return o, err
	}
	right, err := s.Right.evaluate(r, before)
	if err != nil {
		return o, err
	}
	for _, part := range []*operand{&left, &right} {
		if part.number == nil {
			return o, fmt.Errorf("%s is not a number: %s needs numbers on both sides", part.text(r), s.Operator)
		}
	}
	o.number = relation.Calculate(left.number, s.Operator, right.number)
	o.terms = fmt.Sprintf("%s %s %s", left.term(), s.Operator, right.term())
	return o, nil
}

func (s Arithmetic) appendQueries(all []harness.Query) []harness.Query {
	return s.Right.appendQueries(s.Left.appendQueries(all))
}
