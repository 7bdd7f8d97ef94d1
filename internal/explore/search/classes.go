package search

import (
	"math/rand/v2"
	"slices"
)

// Classes enumerates one order of each class of equivalent orders, depth-first.
type Classes struct {
	// Commute reports whether two moves may be exchanged; nil: the function Commute. If it is always false, all orders are
	// enumerated.
	Commute func(a, b *Move) bool
	// Steps is the maximum number of moves of the enumeration; 0: unlimited.
	Steps int
	// Depth is the maximum number of moves of a run; 0: unlimited. A run that reaches it unfinished is visited and ends
	// the enumeration: most likely it never ends, and neither do the others.
	Depth int
	// Visit is called with each run that is over; false ends the enumeration. The run is closed after the call. nil: runs
	// are only counted.
	Visit func(Tree) bool
	// Ends is called after each move; true ends the enumeration in the middle of the run. nil: never.
	Ends func(Tree) bool
	// After is called after each move that no earlier order has made; nil: it is not called.
	After func(Tree)
}

// Enumerated is the result of an enumeration.
type Enumerated struct {
	Classes  int  // runs that were visited
	Steps    int  // moves that were made
	Finished bool // all classes were visited
}

// Subtree is a part of an enumeration: the orders that begin with the moves of Path and do not continue with a move
// that sleeps. The subtrees of one Split are independent of each other.
type Subtree struct {
	Path  []int  // positions of the first moves
	New   int    // how many of the last moves of Path no earlier subtree of the Split has made
	Sleep []Move // the sleep set after Path
}

// enumeration is one call of Explore.
type enumeration struct {
	*Classes
	done    Enumerated
	stopped bool
}

// Explore enumerates a subtree of the orders that continue a run; the zero Subtree has all of them. It closes the run.
func (c *Classes) Explore(root Tree, part Subtree) Enumerated {
	e := &enumeration{Classes: c}
	for i, at := range part.Path {
		root.Moves()
		root.Take(at)
		if e.After != nil && i >= len(part.Path)-part.New {
			e.After(root)
		}
		if e.done.Steps++; c.ends(root) {
			root.Close()
			return e.done
		}
	}
	e.explore(root, part.Sleep, len(part.Path))
	e.done.Finished = !e.stopped
	return e.done
}

// explore visits the classes that continue a run of depth moves. It closes the run.
func (e *enumeration) explore(at Tree, sleep []Move, depth int) {
	defer func() { at.Close() }()
	moves := slices.Clone(at.Moves())
	tooLong := e.Depth > 0 && depth >= e.Depth && len(moves) > 0
	if tooLong || len(moves) == 0 {
		e.done.Classes++
		more := e.Visit == nil || e.Visit(at)
		e.stopped = e.stopped || tooLong || !more
		return
	}
	awake := e.awake(moves, sleep)
	sleep = slices.Clip(sleep)
	for i, position := range awake {
		if e.Steps > 0 && e.done.Steps >= e.Steps {
			e.stopped = true
		}
		if e.stopped {
			return
		}
		e.done.Steps++
		chosen := &moves[position]
		below := e.stillSleeping(sleep, chosen)
		if i == len(awake)-1 { // the last order continues the run itself, and closes it
			last := at
			at = noClose{}
			e.take(last, position, below, depth)
			return
		}
		next := at.Fork()
		next.Moves()
		e.take(next, position, below, depth)
		sleep = append(sleep, *chosen)
	}
}

// take makes a move after depth others, and explores the orders that follow.
func (e *enumeration) take(at Tree, position int, sleep []Move, depth int) {
	at.Take(position)
	if e.After != nil {
		e.After(at)
	}
	if e.ends(at) {
		e.stopped = true
		at.Close()
		return
	}
	e.explore(at, sleep, depth+1)
}

func (c *Classes) ends(at Tree) bool { return c.Ends != nil && c.Ends(at) }

// awake returns the positions of the moves that do not sleep.
func (c *Classes) awake(moves, sleep []Move) (positions []int) {
	for i := range moves {
		if find(sleep, moves[i].Name) < 0 {
			positions = append(positions, i)
		}
	}
	return positions
}

// stillSleeping returns the moves that still sleep after a move: those that commute with it.
func (c *Classes) stillSleeping(sleep []Move, made *Move) (still []Move) {
	commute := c.Commute
	if commute == nil {
		commute = Commute
	}
	for i := range sleep {
		if commute(&sleep[i], made) {
			still = append(still, sleep[i])
		}
	}
	return still
}

// noClose replaces a run that its new owner closes.
type noClose struct{ Tree }

func (noClose) Close() {}

// Split divides the orders that continue a run into subtrees, at least atLeast if there are enough orders. The subtrees
// are in the order of Explore. It closes the run.
func (c *Classes) Split(root Tree, atLeast int) []Subtree {
	parts := []Subtree{{}}
	for range splitDepth {
		if len(parts) >= atLeast {
			break
		}
		var next []Subtree
		for _, p := range parts {
			next = append(next, c.divide(root, p)...)
		}
		if len(next) == len(parts) && unchanged(next, parts) {
			break
		}
		parts = next
	}
	root.Close()
	return parts
}

// unchanged reports whether a division has changed nothing.
func unchanged(next, parts []Subtree) bool {
	for i := range next {
		if len(next[i].Path) != len(parts[i].Path) {
			return false
		}
	}
	return true
}

// divide returns the subtrees one move below a subtree, or the subtree itself if its run is over.
func (c *Classes) divide(root Tree, part Subtree) (below []Subtree) {
	at := root.Fork()
	defer at.Close()
	for _, position := range part.Path {
		at.Moves()
		if at.Take(position); c.ends(at) {
			return []Subtree{part}
		}
	}
	moves := at.Moves()
	if len(moves) == 0 {
		return []Subtree{part}
	}
	sleep := slices.Clone(part.Sleep)
	for i, position := range c.awake(moves, sleep) {
		path, made := append(slices.Clone(part.Path), position), 1
		if i == 0 {
			made = part.New + 1
		}
		below = append(below, Subtree{path, made, c.stillSleeping(sleep, &moves[position])})
		sleep = append(sleep, moves[position])
	}
	return below
}

// Estimate returns an estimate of the number of orders that Explore would follow, including those that end because all
// moves sleep. It is the mean of probes (Knuth 1975): each follows a random order for at most Steps moves, and
// multiplies the numbers of choices. The run stays open.
func (c *Classes) Estimate(root Tree, probes int, chance *rand.Rand) (orders float64, steps int) {
	sum := 0.0
	for range probes {
		weight, made := c.probe(root.Fork(), chance)
		sum += weight
		steps += made
	}
	return sum / float64(probes), steps
}

func (c *Classes) probe(at Tree, chance *rand.Rand) (weight float64, steps int) {
	defer at.Close()
	weight = 1
	var sleep []Move
	for {
		moves := at.Moves()
		awake := c.awake(moves, sleep)
		if len(awake) == 0 || c.Steps > 0 && steps >= c.Steps {
			return weight, steps
		}
		weight *= float64(len(awake))
		n := chance.IntN(len(awake))
		for _, earlier := range awake[:n] {
			sleep = append(sleep, moves[earlier])
		}
		sleep = c.stillSleeping(sleep, &moves[awake[n]])
		at.Take(awake[n])
		if steps++; c.ends(at) {
			return weight, steps
		}
	}
}
