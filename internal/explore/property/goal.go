package property

import (
	"math/big"

	"github.com/canisterd/canisterd/internal/candid/relation"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Sometimes is a state that some run must reach for the exploration to be meaningful.
type Sometimes struct {
	Title     string
	Condition Invariant
}

// Reached reports whether a run that is over has reached the state.
func (g *Sometimes) Reached(r *harness.Run) bool {
	holds, _ := g.Condition.Holds(r)
	return holds
}

// Maximize is a number that the exploration maximizes: a loss, say.
type Maximize struct {
	Title string
	Query harness.Query
}

// Value returns the number in a run that is over, nil if the query gives none.
func (g *Maximize) Value(r *harness.Run) *big.Rat {
	v, err := ask(r, &g.Query)
	if err != nil {
		return nil
	}
	return relation.Number(v)
}
