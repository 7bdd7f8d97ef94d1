package certify

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Change sets an entry of a map, or deletes it if Gone is set.
type Change struct {
	Label Label
	Node  Node
	Gone  bool
}

// Apply returns the tree with many changes made to the map at the path, which is made if it is missing. Of several
// changes of one label the last counts. It has the effect of Set and Delete one by one, for a fraction of the cost:
// every part of the map that changes is rebuilt once. A map that becomes empty is removed from the tree, so that the
// tree is the same whether or not it was made between an entry and its deletion. The slice is sorted in place.
func (t Tree) Apply(changes []Change, path ...Label) Tree {
	changes = lastOfEach(changes)
	if len(changes) == 0 {
		return t
	}
	at, ok := t.Get(path...)
	if ok && at.leaf {
		panic(fmt.Sprintf("certify: bug: apply changes to %s: there is a value", Path(path)))
	}
	root := merge(at.root, changes)
	if root == nil {
		return t.Delete(path...)
	}
	return t.Set(Node{root: root}, path...)
}

// lastOfEach orders changes by label and keeps the last of each.
func lastOfEach(changes []Change) []Change {
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(string(a.Label), string(b.Label)) })
	kept := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || changes[i+1].Label != c.Label {
			kept = append(kept, c)
		}
	}
	return kept
}

// merge returns the map with the changes made; they must be ordered by label.
func merge(n *node, cs []Change) *node {
	switch {
	case len(cs) == 0:
		return n
	case n == nil:
		return build(mergeEntries(nil, cs))
	case n.kind != fork:
		return build(mergeEntries(entries(nil, n), cs))
	}
	// All labels of n agree in the bits above its own; see where the changes
	// first leave them.
	top := n.bit
	for _, c := range []Change{cs[0], cs[len(cs)-1]} {
		if c.Label != n.label {
			top = min(top, firstDifference(c.Label, n.label))
		}
	}
	cut := sort.Search(len(cs), func(i int) bool { return hasBit(cs[i].Label, top) })
	low, high := cs[:cut], cs[cut:]
	switch {
	case top == n.bit:
		return join(merge(n.left, low), merge(n.right, high), top)
	case hasBit(n.label, top):
		return join(merge(nil, low), merge(n, high), top)
	default:
		return join(merge(n, low), merge(nil, high), top)
	}
}

// join returns the union of two maps whose labels first differ in the bit.
func join(l, r *node, bit uint32) *node {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.size+r.size <= bucketSize:
		return build(entries(entries(nil, l), r))
	}
	return newFork(l, r, bit, first(r).label)
}

// mergeEntries returns ordered entries with ordered changes made to them.
func mergeEntries(es []*node, cs []Change) []*node {
	merged := make([]*node, 0, len(es)+len(cs))
	for _, c := range cs {
		for len(es) > 0 && es[0].label < c.Label {
			merged, es = append(merged, es[0]), es[1:]
		}
		if len(es) > 0 && es[0].label == c.Label {
			es = es[1:]
		}
		if !c.Gone {
			merged = append(merged, newEntry(c.Label, c.Node))
		}
	}
	return append(merged, es...)
}
