package certify

import (
	"fmt"
	"slices"
)

// put returns the map with the entry added, or replaced if its label exists.
func put(n, e *node) *node {
	if n == nil {
		return e
	}
	leaves := uint32(noBit)
	if near := first(bucketOf(n, e.label)); near.label != e.label {
		leaves = firstDifference(e.label, near.label)
	}
	return putAt(n, e, leaves)
}

const noBit = 1<<32 - 1

// putAt is put; leaves is a bit in which the entry's label differs from some label of the bucket to which its bits
// lead. If that is above a fork's bit, all labels of the fork agree in it, and the entry goes next to the fork.
func putAt(n, e *node, leaves uint32) *node {
	switch {
	case n.size <= bucketSize:
		return putInBucket(n, e)
	case leaves < n.bit:
		if hasBit(e.label, leaves) {
			return newFork(n, e, leaves, e.label)
		}
		return newFork(e, n, leaves, first(n).label)
	case hasBit(e.label, n.bit):
		return newFork(n.left, putAt(n.right, e, leaves), n.bit, min(n.label, e.label))
	default:
		return newFork(putAt(n.left, e, leaves), n.right, n.bit, n.label)
	}
}

func putInBucket(n, e *node) *node {
	if n.kind != bucketNode {
		switch {
		case n.label == e.label:
			return e
		case n.label < e.label:
			return newBucket([]*node{n, e})
		}
		return newBucket([]*node{e, n})
	}
	at, found := n.few.search(e.label)
	if found && n.few.entries[at].tall == e.tall {
		return n.few.exchange(at, e)
	}
	return n.few.insert(at, found, e)
}

// exchange returns the forks with an existing entry replaced by one with the same label and height.
func exchange(n, e *node) *node {
	if n.kind != fork {
		return e
	}
	if e.label < n.label {
		return newFork(exchange(n.left, e), n.right, n.bit, n.label)
	}
	return newFork(n.left, exchange(n.right, e), n.bit, n.label)
}

// remove returns the map without an existing label.
func remove(n *node, label Label) *node {
	if n.kind != fork && n.kind != bucketNode {
		return nil
	}
	if n.size-1 <= bucketSize {
		kept := entries(make([]*node, 0, n.size), n)
		return build(slices.DeleteFunc(kept, func(e *node) bool { return e.label == label }))
	}
	l, r := n.left, n.right
	if hasBit(label, n.bit) {
		r = remove(r, label)
	} else {
		l = remove(l, label)
	}
	if l == nil {
		return r
	}
	if r == nil {
		return l
	}
	middle := n.label
	if middle == label {
		middle = first(r).label
	}
	return newFork(l, r, n.bit, middle)
}

// set returns the map with content at the path below it, and makes missing maps.
func set(n *node, path, whole Path, content Node) *node {
	label := path[0]
	if len(path) == 1 {
		return put(n, newEntry(label, content))
	}
	var below *node
	if old := find(n, label); old != nil {
		if old.kind == leafEntry {
			panic(fmt.Sprintf("certify: bug: set %s: there is a value at %s", whole, whole[:len(whole)-len(path)+1]))
		}
		below = old.left
	}
	return put(n, newEntry(label, Node{root: set(below, path[1:], whole, content)}))
}

// unset returns the map without the node at the path, or the same map if there is none.
func unset(n *node, path Path) *node {
	old := find(n, path[0])
	if old == nil {
		return n
	}
	if len(path) == 1 {
		return remove(n, path[0])
	}
	if old.kind == leafEntry || old.left == nil {
		return n
	}
	below := unset(old.left, path[1:])
	if below == old.left {
		return n
	}
	return put(n, newEntry(path[0], Node{root: below}))
}
