package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/search"
)

// never makes an enumeration visit all orders.
func never(_, _ *search.Move) bool { return false }

func TestClassesAreAsManyAsBruteForceFinds(t *testing.T) {
	for name, p := range programs {
		classes := map[string]bool{}
		orders := brute(p.start(), classes)
		visited := map[string]bool{}
		c := search.Classes{Visit: func(at search.Tree) bool {
			visited[at.(*run).class()] = true
			return true
		}}
		got := c.Explore(p.start(), search.Subtree{})
		if got.Classes != len(classes) || len(visited) != len(classes) || !got.Finished {
			t.Errorf("%s: %d runs of %d classes, want %d; finished: %t", name, got.Classes, len(visited), len(classes), got.Finished)
		}
		all := search.Classes{Commute: never}
		if got := all.Explore(p.start(), search.Subtree{}); got.Classes != orders {
			t.Errorf("%s: %d orders, want %d", name, got.Classes, orders)
		}
	}
}

func TestParallelWithdrawalsHaveTheOrdersThatWereCounted(t *testing.T) {
	for _, c := range []struct{ operations, orders, classes, steps int }{{2, 14, 6, 28}, {3, 636, 90, 411}} {
		p := withdrawals(c.operations)
		orders := (&search.Classes{Commute: never}).Explore(p.start(), search.Subtree{})
		classes := new(search.Classes).Explore(p.start(), search.Subtree{})
		if orders.Classes != c.orders || classes.Classes != c.classes || classes.Steps != c.steps {
			t.Errorf("%d withdrawals have %d orders, %d classes in %d steps, want %d, %d, %d",
				c.operations, orders.Classes, classes.Classes, classes.Steps, c.orders, c.classes, c.steps)
		}
	}
}

func TestSubtreesTogetherAreTheWholeEnumeration(t *testing.T) {
	for name, p := range programs {
		var whole, parts []string
		record := func(list *[]string) search.Classes {
			return search.Classes{Visit: func(at search.Tree) bool {
				*list = append(*list, at.(*run).class())
				return true
			}}
		}
		c := record(&whole)
		c.Explore(p.start(), search.Subtree{})
		c = record(&parts)
		split := c.Split(p.start(), 20)
		for _, part := range split {
			c.Explore(p.start(), part)
		}
		if len(split) > 1 != (len(whole) > 1) || len(whole) != len(parts) {
			t.Fatalf("%s: %d classes in %d subtrees, want %d", name, len(parts), len(split), len(whole))
		}
		for i := range whole {
			if whole[i] != parts[i] {
				t.Errorf("%s: class %d is %s, want %s", name, i, parts[i], whole[i])
			}
		}
	}
}

func TestEachMoveOfASubtreeIsShownOnce(t *testing.T) {
	for name, p := range programs {
		after, visited := map[string]int{}, map[string]bool{}
		c := search.Classes{
			After: func(at search.Tree) { after[fmt.Sprint(at.(*run).order)]++ },
			Visit: func(at search.Tree) bool {
				order := at.(*run).order
				for n := range order {
					visited[fmt.Sprint(order[:n+1])] = true
				}
				return true
			},
		}
		for _, part := range c.Split(p.start(), 20) {
			c.Explore(p.start(), part)
		}
		for order := range visited {
			if after[order] != 1 {
				t.Errorf("%s: the moves %s are shown %d times", name, order, after[order])
			}
		}
	}
}

func TestAnEnumerationEndsAtItsLimitAndWhereItsVisitorSays(t *testing.T) {
	c := search.Classes{Steps: 40}
	if got := c.Explore(withdrawals(3).start(), search.Subtree{}); got.Finished || got.Steps != 40 {
		t.Errorf("with 40 steps: %+v", got)
	}
	visits := 0
	c = search.Classes{Visit: func(search.Tree) bool { visits++; return visits < 3 }}
	if got := c.Explore(withdrawals(3).start(), search.Subtree{}); got.Finished || got.Classes != 3 {
		t.Errorf("after three visits: %+v", got)
	}
}

func TestARunThatIsTooLongIsVisitedAndEndsTheEnumeration(t *testing.T) {
	var left []int // by run: how many moves are left
	c := search.Classes{Visit: func(at search.Tree) bool { left = append(left, len(at.Moves())); return true }}
	whole := c.Explore(withdrawals(2).start(), search.Subtree{})
	longest := whole.Steps
	for depth := 1; depth <= whole.Steps; depth++ {
		left = nil
		c.Depth = depth
		got := c.Explore(withdrawals(2).start(), search.Subtree{})
		if got.Finished {
			longest = min(longest, depth)
			if got != whole || slices.Max(left) != 0 {
				t.Errorf("runs of %d moves at most: %+v, with %v moves left; want %+v", depth, got, left, whole)
			}
		} else if last := len(left) - 1; left[last] == 0 || slices.ContainsFunc(left[:last], func(n int) bool { return n > 0 }) {
			t.Errorf("runs of %d moves at most have %v moves left: the last alone is too long", depth, left)
		}
	}
	if longest != 6 { // two requests to the bank, to the vault, and two answers
		t.Errorf("the longest run has %d moves", longest)
	}
}

func TestAnEnumerationEndsInTheMiddleOfARun(t *testing.T) {
	for end := range 30 {
		moves, visits := 0, 0
		c := search.Classes{Visit: func(search.Tree) bool { visits++; return true }, Ends: func(search.Tree) bool { moves++; return moves > end }}
		got := c.Explore(withdrawals(2).start(), search.Subtree{})
		if finished := end >= 28; got.Finished != finished || got.Classes != visits || !finished && got.Steps != end+1 {
			t.Errorf("after %d moves: %+v, with %d visits", end, got, visits)
		}
	}
	c := search.Classes{Ends: func(search.Tree) bool { return true }}
	parts := c.Split(withdrawals(2).start(), 20)
	if got := c.Explore(withdrawals(2).start(), search.Subtree{Path: []int{0, 0}}); got.Finished || got.Steps != 1 || got.Classes != 0 {
		t.Errorf("at the first move: %+v", got)
	}
	if _, steps := c.Estimate(withdrawals(2).start(), 3, rand.New(rand.NewPCG(1, 2))); steps != 3 || len(parts) > 2 {
		t.Errorf("the estimate takes %d moves, and there are %d parts", steps, len(parts))
	}
}

func TestTheEstimateOfOrdersIsNearTheirNumber(t *testing.T) {
	c := search.Classes{Commute: never}
	if got, _ := c.Estimate(withdrawals(3).start(), 2000, rand.New(rand.NewPCG(1, 2))); got < 590 || got > 680 {
		t.Errorf("the estimate of 636 orders is %.0f", got)
	}
	c = search.Classes{}
	if got, steps := c.Estimate(withdrawals(3).start(), 2000, rand.New(rand.NewPCG(1, 2))); got < 90 || got > 130 || steps == 0 {
		t.Errorf("the estimate of 90 classes is %.0f in %d steps", got, steps)
	}
}
