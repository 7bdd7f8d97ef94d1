package observe

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
)

// errNothing says why nothing is suggested.
var errNothing = errors.New("no query without arguments returns a number that these operations change: state an invariant such as CANISTER QUERY <= NUMBER, or explore without one")

// Suggestion is some invariants, and what was seen of them.
type Suggestion struct {
	Invariants []string `json:"invariants"`
	Seen       string   `json:"seen"`
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
func seriesOf(states []State) (all []series) {
	for _, query := range states[0].Queries {
		one := series{query: query}
		for _, state := range states {
			if parsed, err := candid.ParseArgs(state.Results[query]); err == nil && len(parsed) == 1 {
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

// Suggest returns invariants from successive states: sums that stayed the same, and bounds from them, equal numbers, and numbers
// that did not change although others did. A sum is suggested as a bound, because a trap may keep a part of it back. Without
// numbers that change, there is an error.
func Suggest(states []State) (suggested []Suggestion, err error) {
	all := seriesOf(states)
	add := func(seen string, invariants ...string) {
		if len(suggested) < maxSuggested {
			suggested = append(suggested, Suggestion{invariants, seen})
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
				add("they were equal in every state", a.query+" == "+b.query)
			} else if sum := sumOf(a, b); sum != nil {
				most := " <= " + sum.RatString()
				add("their sum stayed "+sum.RatString(), a.query+" + "+b.query+most, a.query+most, b.query+most)
			}
		}
	}
	if !changed {
		return nil, errNothing
	}
	for _, a := range all {
		if !a.changes() {
			add("it stayed the same", fmt.Sprintf("%s == %s", a.query, a.most().RatString()))
		}
	}
	if len(suggested) == 0 {
		for _, a := range all {
			if a.changes() {
				add("it was never more; check whether it may be", fmt.Sprintf("%s <= %s", a.query, a.most().RatString()))
			}
		}
	}
	return suggested, nil
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
