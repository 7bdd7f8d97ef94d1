package certify

import (
	"crypto/sha256"
	"sync/atomic"
)

// node is one immutable node of a tree: a map or part of one (a fork, or a bucket
// of few entries), or an entry, which is its label with what is below. Only the
// cached hash changes, once.
type node struct {
	// The fields that a descent reads come first, in one cache line.
	state atomic.Uint32 // of hash
	size  uint32        // entries of this map below, 1 for an entry
	bit   uint32        // forks above bucketSize: the bit the halves differ in
	kind  kind
	tall  uint8    // nesting of the encoding when all is revealed
	left  *node    // fork: left half. mapEntry: its map, nil when empty. leafEntry: the leaf apart, nil when small
	right *node    // fork: right half
	label Label    // an entry's label; a fork's first label of the right half
	hash  [32]byte // of fork or labelled entry; valid when state is hashKept
	value []byte
	few   *bucket // of a bucket
}

type kind uint8

const (
	fork kind = iota
	bucketNode
	mapEntry
	leafEntry
	bareLeaf // the leaf of an entry with a large value, hashed apart from its label
)

const (
	hashUnknown uint32 = iota
	hashBeingKept
	hashKept
)

// largeValue is the length from which a leaf's hash is kept separately from its label's, so that a proof of a
// neighbor's absence need not hash it again.
const largeValue = 1 << 10

const (
	sepEmpty   = "\x11ic-hashtree-empty"
	sepFork    = "\x10ic-hashtree-fork"
	sepLabeled = "\x13ic-hashtree-labeled"
	sepLeaf    = "\x10ic-hashtree-leaf"
)

// digest returns the node's hash, from the cache if it is there.
func (n *node) digest() [32]byte {
	if n.state.Load() == hashKept {
		return n.hash
	}
	h := n.compute()
	if n.state.CompareAndSwap(hashUnknown, hashBeingKept) {
		n.hash = h
		n.state.Store(hashKept)
	}
	return h
}

func (n *node) compute() [32]byte {
	switch n.kind {
	case fork:
		return forkHash(n.left.digest(), n.right.digest())
	case bucketNode:
		return n.open().digest()
	case bareLeaf:
		return leafHash(n.value)
	default:
		return labeledHash(string(n.label), n.content())
	}
}

// content returns the hash of what is under an entry's label.
func (n *node) content() [32]byte {
	if n.kind == mapEntry {
		return mapHash(n.left)
	}
	if n.left != nil {
		return n.left.digest()
	}
	return leafHash(n.value)
}

func mapHash(root *node) [32]byte {
	if root == nil {
		return emptyHash()
	}
	return root.digest()
}

func emptyHash() [32]byte { return sha256.Sum256([]byte(sepEmpty)) }

func forkHash(l, r [32]byte) [32]byte {
	var b [len(sepFork) + 64]byte
	copy(b[:], sepFork)
	copy(b[len(sepFork):], l[:])
	copy(b[len(sepFork)+32:], r[:])
	return sha256.Sum256(b[:])
}

func labeledHash[L string | []byte](label L, below [32]byte) [32]byte {
	var room [128]byte
	b := append(room[:0], sepLabeled...)
	b = append(b, label...)
	b = append(b, below[:]...)
	return sha256.Sum256(b)
}

func leafHash(value []byte) [32]byte {
	if len(value) <= 256 {
		var room [len(sepLeaf) + 256]byte
		b := append(room[:0], sepLeaf...)
		return sha256.Sum256(append(b, value...))
	}
	h := sha256.New()
	h.Write([]byte(sepLeaf))
	h.Write(value)
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}

// newFork returns a fork; middle is the first label of its right half.
func newFork(l, r *node, bit uint32, middle Label) *node {
	return &node{
		kind: fork, left: l, right: r, bit: bit, label: middle,
		size: l.size + r.size, tall: taller(max(l.tall, r.tall)),
	}
}

func newEntry(label Label, content Node) *node {
	if content.leaf {
		return &node{kind: leafEntry, label: label, value: content.value, left: content.root, size: 1, tall: 2}
	}
	tall := uint8(1)
	if content.root != nil {
		tall = content.root.tall
	}
	return &node{kind: mapEntry, label: label, left: content.root, size: 1, tall: taller(tall)}
}

func taller(t uint8) uint8 {
	if t == 255 {
		return t
	}
	return t + 1
}

func first(n *node) *node {
	for n.kind == fork {
		n = n.left
	}
	if n.kind == bucketNode {
		return n.few.entries[0]
	}
	return n
}

func last(n *node) *node {
	for n.kind == fork {
		n = n.right
	}
	if n.kind == bucketNode {
		return n.few.entries[n.size-1]
	}
	return n
}

// find returns the entry with the label, nil if there is none.
func find(n *node, label Label) *node {
	if n == nil {
		return nil
	}
	n = bucketOf(n, label)
	if n.kind == bucketNode {
		at, found := n.few.search(label)
		if !found {
			return nil
		}
		return n.few.entries[at]
	}
	if n.label != label {
		return nil
	}
	return n
}

// bucketOf returns the bucket that has the label if the map has it. It compares only bits of the label, and none of the
// labels on the way.
func bucketOf(n *node, label Label) *node {
	for n.size > bucketSize {
		if hasBit(label, n.bit) {
			n = n.right
		} else {
			n = n.left
		}
	}
	return n
}

// entries appends the entries of a map in the order of their labels.
func entries(dst []*node, n *node) []*node {
	if n == nil {
		return dst
	}
	for n.kind == fork {
		dst = entries(dst, n.left)
		n = n.right
	}
	if n.kind == bucketNode {
		return append(dst, n.few.entries...)
	}
	return append(dst, n)
}
