package certify

import (
	"slices"
	"strings"
	"sync/atomic"
)

// bucket is a list: the form of a map of 2 to bucketSize entries until its hash or a proof is requested. Changing a
// list is cheap, and most versions of a tree are never proved.
type bucket struct {
	entries []*node // in the order of their labels
	forks   atomic.Pointer[node]
}

// newBucket returns the map of these entries, and keeps the slice.
func newBucket(es []*node) *node {
	b := new(struct {
		node
		bucket
	})
	b.entries = es
	b.few = &b.bucket
	b.kind, b.size, b.tall = bucketNode, uint32(len(es)), height(es)
	return &b.node
}

// open returns the node as an entry or a fork: the shape that is hashed and proved. Two goroutines that open a bucket
// concurrently both build its forks, and one keeps them.
func (n *node) open() *node {
	if n.kind != bucketNode {
		return n
	}
	if forks := n.few.forks.Load(); forks != nil {
		return forks
	}
	n.few.forks.CompareAndSwap(nil, pack(n.few.entries))
	return n.few.forks.Load()
}

func (b *bucket) search(label Label) (at int, found bool) {
	return slices.BinarySearchFunc(b.entries, label, func(e *node, l Label) int { return strings.Compare(string(e.label), string(l)) })
}

// exchange returns the bucket with the entry at a position replaced by one with the same label and height. Forks that
// were hashed stay.
func (b *bucket) exchange(at int, e *node) *node {
	es := slices.Clone(b.entries)
	es[at] = e
	n := newBucket(es)
	if forks := b.forks.Load(); forks != nil {
		n.few.forks.Store(exchange(forks, e))
	}
	return n
}

// insert returns the map with another entry, or with the entry at the position replaced.
func (b *bucket) insert(at int, found bool, e *node) *node {
	es := make([]*node, 0, len(b.entries)+1)
	es = append(append(es, b.entries[:at]...), e)
	if found {
		at++
	}
	return build(append(es, b.entries[at:]...))
}
