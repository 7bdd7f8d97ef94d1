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

// newBucket is the map of these entries, which it keeps.
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

// open is the node as an entry or a fork: the shape that is hashed and proved. Two
// goroutines that open a bucket at once both build its forks, and one keeps them.
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

func (b *bucket) search(label Label) (at int, there bool) {
	return slices.BinarySearchFunc(b.entries, label, func(e *node, l Label) int { return strings.Compare(string(e.label), string(l)) })
}

// exchange is the bucket with an entry in place of the one at a position, which has
// the same label and is as tall. Forks that were hashed stay.
func (b *bucket) exchange(at int, e *node) *node {
	es := slices.Clone(b.entries)
	es[at] = e
	n := newBucket(es)
	if forks := b.forks.Load(); forks != nil {
		n.few.forks.Store(exchange(forks, e))
	}
	return n
}

// insert is the map with an entry more, or in place of the one at the position.
func (b *bucket) insert(at int, there bool, e *node) *node {
	es := make([]*node, 0, len(b.entries)+1)
	es = append(append(es, b.entries[:at]...), e)
	if there {
		at++
	}
	return build(append(es, b.entries[at:]...))
}
