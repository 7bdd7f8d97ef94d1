package export

import (
	"sort"

	"github.com/canisterd/canisterd/internal/profile"
)

// opened returns a profile with a root: an empty one has none.
func opened(p *profile.Profile) *profile.Profile {
	if len(p.Nodes) > 0 {
		return p
	}
	return &profile.Profile{Symbols: []profile.Symbol{{}}, Nodes: []profile.Place{{Parent: -1}}, Messages: p.Messages, Folded: p.Folded}
}

// forest is a profile with what its nodes do not say: the nodes below them, and sums.
type forest struct {
	*profile.Profile
	totals      []profile.Weights
	first, next []int32 // the first child, and the next child of the parent; 0 for none
}

func newForest(p *profile.Profile) *forest {
	p = opened(p)
	f := &forest{Profile: p, totals: p.Totals(), first: make([]int32, len(p.Nodes)), next: make([]int32, len(p.Nodes))}
	for i := len(p.Nodes) - 1; i > 0; i-- {
		parent := p.Nodes[i].Parent
		f.next[i], f.first[parent] = f.first[parent], int32(i)
	}
	return f
}

// all returns the instructions of the profile.
func (f *forest) all() uint64 { return f.totals[profile.Root].Instructions }

// walk visits each node after its parent, and leaves it after its children. Paths may have as many nodes as a profile.
func (f *forest) walk(enter, leave func(node int32)) {
	at := profile.Root
	for {
		enter(at)
		next := f.first[at]
		for next == 0 {
			leave(at)
			if at == profile.Root {
				return
			}
			next, at = f.next[at], f.Nodes[at].Parent
		}
		at = next
	}
}

// path returns the symbols from the top to a node, without the root, in a reused slice.
func path(p *profile.Profile, node int32, reuse []int32) []int32 {
	reuse = reuse[:0]
	for ; node != profile.Root; node = p.Nodes[node].Parent {
		reuse = append(reuse, p.Nodes[node].Symbol)
	}
	for i, j := 0, len(reuse)-1; i < j; i, j = i+1, j-1 {
		reuse[i], reuse[j] = reuse[j], reuse[i]
	}
	return reuse
}

// shallow returns a profile whose paths cost at most a budget together, as forms need that write every path: a recursion
// has as many paths as levels. Each frame of a path has its own cost. A node too deep moves below the last frame in front
// of the maximum depth, so weights and the functions that have them stay.
func shallow(p *profile.Profile, cost func(symbol int32) int, budget int) *profile.Profile {
	p = opened(p)
	own := make([]int, len(p.Symbols))
	for i := range own {
		own[i] = cost(int32(i))
	}
	depths, sums := make([]int, len(p.Nodes)), make([]int, len(p.Nodes))
	deepest := 0
	for i := 1; i < len(p.Nodes); i++ {
		n := &p.Nodes[i]
		depths[i], sums[i] = depths[n.Parent]+1, sums[n.Parent]+own[n.Symbol]
		deepest = max(deepest, depths[i])
	}
	anchors := make([]int32, len(p.Nodes))
	fits := func(depth int) bool {
		all := 0
		for i := 1; i < len(p.Nodes) && all <= budget; i++ {
			n := &p.Nodes[i]
			anchors[i] = anchor(anchors, depths, int32(i), n.Parent, depth)
			all += sums[anchors[n.Parent]] + own[n.Symbol]
		}
		return all <= budget
	}
	if fits(deepest) {
		return p
	}
	depth := deepest - sort.Search(deepest-1, func(less int) bool { return fits(deepest - less) })
	moved := &profile.Profile{Messages: p.Messages, Folded: p.Folded}
	places := make([]int32, len(p.Nodes))
	for i := 1; i < len(p.Nodes); i++ {
		n := &p.Nodes[i]
		anchors[i] = anchor(anchors, depths, int32(i), n.Parent, depth)
		places[i] = moved.Below(places[anchors[n.Parent]], p.Symbols[n.Symbol])
		moved.Nodes[places[i]].Weights.Add(&n.Weights)
	}
	moved.Nodes[profile.Root].Weights.Add(&p.Nodes[profile.Root].Weights)
	return moved
}

// anchor returns the node below which the children of a node are: itself, or the last one in front of a maximum depth.
func anchor(anchors []int32, depths []int, node, parent int32, depth int) int32 {
	if depths[node] < depth {
		return node
	}
	return anchors[parent]
}
