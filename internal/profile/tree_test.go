package profile_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/profile"
)

func function(index uint32) profile.Frame { return profile.Frame{Kind: profile.Function, Index: index} }

func host(index uint32) profile.Frame { return profile.Frame{Kind: profile.Host, Index: index} }

// node is what a test expects of a node.
type node struct {
	frame               profile.Frame
	parent              int32
	calls, instructions uint64
}

func nodesOf(t *profile.Tree) (all []node) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		all = append(all, node{n.Frame, n.Parent, n.Calls, n.Instructions})
	}
	return all
}

func wantNodes(t *testing.T, tree *profile.Tree, want []node) {
	t.Helper()
	if got := nodesOf(tree); !slices.Equal(got, want) {
		t.Errorf("the nodes are %v, want %v", got, want)
	}
}

func TestEachFrameHasTheInstructionsBetweenItsBeginAndItsEndWithoutTheFramesBelow(t *testing.T) {
	r := profile.NewRecorder(7)
	r.Enter(function(1), 10)
	r.Enter(function(2), 30)
	r.Leave(70)
	r.Enter(function(3), 71)
	r.Leave(71)
	r.Enter(function(2), 80) // found behind another child
	r.Leave(90)
	r.Leave(100)
	tree := r.End(105, nil, 1000)
	wantNodes(t, tree, []node{
		{profile.Frame{Kind: profile.Entry, Index: 7}, -1, 1, 15},
		{function(1), 0, 1, 40},
		{function(2), 1, 2, 50},
		{function(3), 1, 1, 0},
	})
	if n := tree.Instructions(); n != 105 {
		t.Errorf("the tree has %d instructions of 105", n)
	}
}

func TestChildrenAreFoundInAnyOrderOfCalls(t *testing.T) {
	r := profile.NewRecorder(0)
	order := []uint32{1, 2, 3, 4, 2, 1, 4, 4, 3, 1, 2}
	for _, f := range order {
		r.Enter(function(f), 0)
		r.Leave(0)
	}
	tree := r.End(0, nil, 0)
	if len(tree.Nodes) != 5 {
		t.Errorf("4 functions have %d nodes below their entry", len(tree.Nodes)-1)
	}
	for _, n := range tree.Nodes[1:] {
		want := uint64(0)
		for _, f := range order {
			if f == n.Frame.Index {
				want++
			}
		}
		if n.Calls != want {
			t.Errorf("function %d has %d calls, want %d", n.Frame.Index, n.Calls, want)
		}
	}
}

func TestAFunctionThatBeginsAgainWithdrawsItsFirstFrame(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 5)
	r.Withdraw()
	r.Enter(function(2), 6)
	r.Enter(function(1), 8)
	r.Leave(18)
	r.Leave(20)
	wantNodes(t, r.End(21, nil, 100), []node{
		{profile.Frame{Kind: profile.Entry}, -1, 1, 7},
		{function(1), 0, 0, 0},
		{function(2), 0, 1, 4},
		{function(1), 2, 1, 10},
	})
}

func TestOtherWeightsAreThoseOfTheInnermostFrame(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(host(3), 1)
	r.Spend(profile.Weights{Cycles: 5, StableBytes: 6})
	r.Spend(profile.Weights{Cycles: 1})
	r.Leave(4)
	tree := r.End(4, nil, 100)
	if want := (profile.Weights{Calls: 1, Instructions: 3, Cycles: 6, StableBytes: 6}); tree.Nodes[1].Weights != want {
		t.Errorf("the weights are %+v, want %+v", tree.Nodes[1].Weights, want)
	}
}

func TestACallToAnotherCanisterIsThatOfTheFunctionAroundTheHostFunction(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 0)
	r.Enter(host(9), 0)
	r.Await()
	r.Leave(0)
	r.Leave(0)
	r.Await()
	if tree := r.End(0, nil, 0); !slices.Equal(tree.Awaits, []int32{1, 0}) {
		t.Errorf("the calls are at nodes %v, want 1 and 0", tree.Awaits)
	}
}

func TestAMessageThatTrapsEndsAllFrames(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 10)
	r.Enter(function(2), 20)
	wantNodes(t, r.End(50, nil, 100), []node{
		{profile.Frame{Kind: profile.Entry}, -1, 1, 10},
		{function(1), 0, 1, 10},
		{function(2), 1, 1, 30},
	})
}

func TestWhatExceedsTheLimitIsTakenFromTheInnermostFramesFirst(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 10)
	r.Enter(function(2), 30)
	tree := r.End(40, nil, 25)
	wantNodes(t, tree, []node{
		{profile.Frame{Kind: profile.Entry}, -1, 1, 10},
		{function(1), 0, 1, 15},
		{function(2), 1, 1, 0},
	})
	if n := tree.Instructions(); n != 25 {
		t.Errorf("the tree has %d instructions, and the run is charged for 25", n)
	}
}

func TestChargesAreBelowTheEntryAndEndAtTheLimit(t *testing.T) {
	charge := func(index uint32, instructions uint64) profile.Node {
		return profile.Node{
			Frame: profile.Frame{Kind: profile.Charge, Index: index}, Parent: 5,
			Weights: profile.Weights{Calls: 2, Instructions: instructions},
		}
	}
	for _, c := range []struct {
		limit         uint64
		first, second uint64
	}{
		{1000, 70, 30}, {195, 70, 25}, {170, 70, 0}, {130, 30, 0}, {100, 0, 0},
	} {
		r := profile.NewRecorder(0)
		tree := r.End(100, []profile.Node{charge(0, 70), charge(1, 30), charge(2, 0)}, c.limit)
		want := []node{{profile.Frame{Kind: profile.Entry}, -1, 1, 100}}
		for i, n := range []uint64{c.first, c.second} {
			if n > 0 {
				want = append(want, node{profile.Frame{Kind: profile.Charge, Index: uint32(i)}, 0, 2, n})
			}
		}
		wantNodes(t, tree, want)
	}
}

// recursion records a function that calls itself to a depth; each frame executes 2 instructions, one before the call.
func recursion(depth int) *profile.Recorder {
	r := profile.NewRecorder(0)
	executed := uint64(0)
	for range depth {
		r.Enter(function(1), executed)
		executed++
	}
	for range depth {
		executed++
		r.Leave(executed)
	}
	return r
}

func TestARecursionDeeperThanATreeKeepsEveryInstruction(t *testing.T) {
	const fits = 1<<18 - 1 // with the entry
	for _, c := range []struct {
		depth  int
		folded uint64
	}{{fits, 0}, {fits + 1, 1}, {fits + 1000, 1000}} {
		tree := recursion(c.depth).End(uint64(2*c.depth), nil, 1<<40)
		if len(tree.Nodes) != fits+1 || tree.Folded != c.folded {
			t.Errorf("a recursion to %d has %d nodes, and %d frames without one, want %d and %d", c.depth, len(tree.Nodes), tree.Folded, fits+1, c.folded)
		}
		if n := tree.Instructions(); n != uint64(2*c.depth) {
			t.Errorf("a recursion to %d has %d instructions, want %d", c.depth, n, 2*c.depth)
		}
		if n := tree.Nodes[fits].Instructions; n != 2+2*c.folded {
			t.Errorf("the deepest node has %d instructions, want those of %d frames", n, 1+c.folded)
		}
	}
}

func TestFramesWithoutRoomAreEnteredLeftAndWithdrawnInTheirOrder(t *testing.T) {
	r := profile.NewRecorder(0)
	for range profile.MaxTreeNodes - 1 {
		r.Enter(function(1), 0)
	}
	r.Enter(function(2), 10) // without room
	r.Enter(host(3), 11)
	r.Spend(profile.Weights{Cycles: 9})
	r.Await()
	r.Leave(12)
	r.Enter(function(4), 13)
	r.Withdraw()
	r.Leave(14)
	r.Leave(15)
	r.Enter(function(1), 16) // in the last node again
	tree := r.End(20, nil, 100)
	const last = profile.MaxTreeNodes - 1
	if n := tree.Nodes[last]; n.Calls != 2 || n.Instructions != 15+4 || n.Cycles != 9 {
		t.Errorf("the last node has %+v, want 2 calls, 19 instructions and 9 cycles", n.Weights)
	}
	if n := tree.Nodes[last-1].Instructions; n != 1 {
		t.Errorf("the node above has %d instructions, want 1", n)
	}
	if tree.Folded != 2 || !slices.Equal(tree.Awaits, []int32{last}) {
		t.Errorf("%d frames have no node, and calls are at %v, want 2 and %d", tree.Folded, tree.Awaits, last)
	}
}
