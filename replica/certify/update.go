package certify

import "fmt"

// put is the map with the entry added or in place of the one with its label.
func put(n, e *node) *node {
	switch {
	case n == nil:
		return e
	case n.size <= bucketSize:
		return putInBucket(n, e)
	case firstDifferenceOr(e.label, n.label, n.bit) < n.bit:
		// The label leaves the ones here before they part.
		bit := firstDifference(e.label, n.label)
		if hasBit(e.label, bit) {
			return newFork(n, e, bit)
		}
		return newFork(e, n, bit)
	case hasBit(e.label, n.bit):
		return newFork(n.left, put(n.right, e), n.bit)
	default:
		return newFork(put(n.left, e), n.right, n.bit)
	}
}

func firstDifferenceOr(a, b Label, same uint32) uint32 {
	if a == b {
		return same
	}
	return firstDifference(a, b)
}

func putInBucket(n, e *node) *node {
	if old := find(n, e.label); old != nil && old.tall == e.tall {
		return exchange(n, e)
	}
	var room [bucketSize + 1]*node
	es := entries(room[:0], n)
	at := 0
	for at < len(es) && es[at].label < e.label {
		at++
	}
	if at < len(es) && es[at].label == e.label {
		es[at] = e
	} else {
		es = append(es, nil)
		copy(es[at+1:], es[at:])
		es[at] = e
	}
	return build(es)
}

// exchange is the map with the entry in place of the one with its label, which
// is there and as tall.
func exchange(n, e *node) *node {
	if n.kind != fork {
		return e
	}
	if e.label < n.label {
		return newFork(exchange(n.left, e), n.right, n.bit)
	}
	return newFork(n.left, exchange(n.right, e), n.bit)
}

// remove is the map without the label, which is there.
func remove(n *node, label Label) *node {
	if n.kind != fork {
		return nil
	}
	if n.size-1 <= bucketSize {
		var room [bucketSize + 1]*node
		kept := room[:0]
		for _, e := range entries(make([]*node, 0, bucketSize+1), n) {
			if e.label != label {
				kept = append(kept, e)
			}
		}
		return build(kept)
	}
	l, r := n.left, n.right
	if label < n.label {
		l = remove(l, label)
	} else {
		r = remove(r, label)
	}
	if l == nil {
		return r
	}
	if r == nil {
		return l
	}
	return newFork(l, r, n.bit)
}

// set is the map with content at the path below it, making the maps between.
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

// unset is the map without what is at the path; the same map where nothing is.
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
