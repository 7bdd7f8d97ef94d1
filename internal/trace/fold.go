package trace

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/candid/generated"
)

// Fold folds what compilers add (package generated): a call of a canister to such a method of itself disappears, and
// what it ran belongs to the execution before. Calls that fail, wait, or are delayed or changed by rules stay.
func (t *Tree) Fold() {
	if t.Root != nil {
		t.Root.fold()
	}
}

func (c *Call) fold() {
	machinery := make(map[*Execution]bool)
	all := slices.Clone(c.Executions)
	for _, x := range c.Executions {
		x.Calls = slices.DeleteFunc(x.Calls, func(made *Call) bool {
			made.fold()
			back, fits := c.folds(made)
			if !fits {
				return false
			}
			machinery[made.Executions[0]] = true
			for _, x := range back {
				machinery[x] = true
			}
			all = append(all, made.Executions...)
			return true
		})
	}
	if len(machinery) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b *Execution) int { return a.Ended.compare(b.Ended) })
	c.Executions = nil
	for _, x := range all {
		if n := len(c.Executions); n > 0 && machinery[x] {
			c.Executions[n-1].absorb(x)
		} else {
			c.Executions = append(c.Executions, x)
		}
	}
}

// folds reports whether a call that c made is folded, and returns the callbacks that answer it.
func (c *Call) folds(made *Call) (back []*Execution, fits bool) {
	switch {
	case !generated.Method(made.Method) || made.Canister != made.Caller:
		return nil, false
	case !made.Answered() || made.Reject != nil || len(made.Notes)+len(made.Missing) > 0 || len(made.Executions) == 0 || !made.Executions[0].quiet():
		return nil, false
	}
	for _, x := range c.Executions {
		if x.Answers != made {
			continue
		}
		if !x.quiet() || x.Entry != canister.ReplyCallback {
			return nil, false
		}
		back = append(back, x)
	}
	return back, true
}

// quiet reports whether the message ran to its end.
func (x *Execution) quiet() bool { return x.Ended.Recorded() && x.Trap == nil && !x.Unrecorded }

// absorb adds a later message of the same canister.
func (x *Execution) absorb(y *Execution) {
	x.Folded += 1 + y.Folded
	x.Instructions += y.Instructions
	x.Cycles = x.Cycles.Add(y.Cycles)
	x.DirtyPages += y.DirtyPages
	x.Wall += y.Wall
	x.Heap, x.Stable = y.Heap, y.Stable
	x.Logs = append(x.Logs, y.Logs...)
	x.Calls = append(x.Calls, y.Calls...)
}
