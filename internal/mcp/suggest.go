package mcp

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
)

// suggestInput is what suggest takes.
type suggestInput struct {
	Operations []string `json:"operations" jsonschema:"as for explore"`
	Before     []string `json:"before,omitempty" jsonschema:"as for explore"`
	Instance   string   `json:"instance,omitempty"`
	detailed
}

// suggest runs operations one after another on a fork, and suggests as invariants what held after each of them.
func (s *Server) suggest(ctx context.Context, in suggestInput) (text string, err error) {
	of := s.namesOf(s.instanceOf(in.Instance))
	if len(in.Operations) == 0 {
		return "", errors.New("no operations: pass some, such as: bank withdraw 100")
	}
	fork, err := s.fork(ctx, of.instance, "", "")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, fork)) }()
	n := &names{instance: fork, ids: of.ids, principals: of.principals, sender: of.sender}
	all, _, err := s.canisters(ctx, n)
	if err != nil {
		return "", err
	}
	var answers strings.Builder
	run := func(texts []string, after func()) error {
		operations, err := operationsOf(texts, n)
		for _, o := range operations {
			outcome, failed := s.perform(ctx, n, o, kindOf(all, o.GetCall()))
			fmt.Fprintf(&answers, "%s: %s\n", o.GetTitle(), short(n.answer(outcome, failed)))
			after()
		}
		return err
	}
	if err := run(in.Before, func() {}); err != nil {
		return "", err
	}
	states := []values{s.observe(ctx, n, all)}
	if err := run(in.Operations, func() { states = append(states, s.observe(ctx, n, all)) }); err != nil {
		return "", err
	}
	lines := suggestions(seriesOf(states))
	if len(lines) == 0 {
		return "", fmt.Errorf("no query without arguments returns a number that these operations change: state an invariant such as CANISTER QUERY <= NUMBER, or explore without one\n%s", answers.String())
	}
	return "one after another\n" + answers.String() + strings.Join(lines, "\n"), nil
}

// series are the numbers that a query returned in each state.
type series struct {
	query   string
	numbers []*big.Rat
}

// changes reports whether the number is not always the same.
func (s series) changes() bool {
	for _, n := range s.numbers {
		if n.Cmp(s.numbers[0]) != 0 {
			return true
		}
	}
	return false
}

// most returns the largest number.
func (s series) most() *big.Rat {
	most := s.numbers[0]
	for _, n := range s.numbers {
		if n.Cmp(most) > 0 {
			most = n
		}
	}
	return most
}

// seriesOf returns the queries that return a number in each state, in their order.
func seriesOf(states []values) (all []series) {
	for _, query := range states[0].queries {
		one := series{query: query}
		for _, state := range states {
			if parsed, err := candid.ParseArgs(state.results[query]); err == nil && len(parsed) == 1 {
				if number := relation.Number(parsed[0]); number != nil {
					one.numbers = append(one.numbers, number)
				}
			}
		}
		if len(one.numbers) == len(states) {
			all = append(all, one)
		}
	}
	return all
}

// suggestions returns invariants with the reason for each: sums that stayed the same, and bounds from them, equal numbers, and
// numbers that did not change although others did.
func suggestions(all []series) (lines []string) {
	say := func(format string, args ...any) {
		if len(lines) < maxSuggested {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	changed := false
	for i, a := range all {
		changed = changed || a.changes()
		for _, b := range all[i+1:] {
			if !a.changes() || !b.changes() {
				continue
			}
			if equal(a, b) {
				say("%s == %s\n  they were equal in every state", a.query, b.query)
			} else if sum := sumOf(a, b); sum != nil {
				say("%[1]s + %[2]s <= %[3]s\n%[1]s <= %[3]s\n%[2]s <= %[3]s\n  their sum stayed %[3]s", a.query, b.query, sum.RatString())
			}
		}
	}
	if !changed {
		return nil
	}
	for _, a := range all {
		if !a.changes() {
			say("%s == %s\n  it stayed the same", a.query, a.most().RatString())
		}
	}
	if len(lines) == 0 {
		for _, a := range all {
			if a.changes() {
				say("%s <= %s\n  it was never more; check whether it may be", a.query, a.most().RatString())
			}
		}
	}
	return lines
}

// equal reports whether two numbers were the same in each state.
func equal(a, b series) bool {
	for i := range a.numbers {
		if a.numbers[i].Cmp(b.numbers[i]) != 0 {
			return false
		}
	}
	return true
}

// sumOf returns the sum of two numbers that never were negative, if it was the same in each state; else nil.
func sumOf(a, b series) (sum *big.Rat) {
	for i := range a.numbers {
		now := new(big.Rat).Add(a.numbers[i], b.numbers[i])
		if sum != nil && sum.Cmp(now) != 0 || a.numbers[i].Sign() < 0 || b.numbers[i].Sign() < 0 {
			return nil
		}
		sum = now
	}
	return sum
}
