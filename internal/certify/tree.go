package certify

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Tree is a state tree: maps from labels to values and further maps. It is immutable; every change gives a new Tree
// that shares all unchanged parts. The zero Tree is empty. Two trees with the same contents have the same root.
type Tree struct{ root *node }

// Node is the value or map at a path. It is immutable too, keeps its hash, and may be put into any number of trees. The
// zero Node is the empty map.
type Node struct {
	root  *node // a map's entries; a large leaf
	value []byte
	leaf  bool
}

// Entry is a label and its node.
type Entry struct {
	Label Label
	Node  Node
}

// Leaf returns a value. The bytes are kept, not copied: they are read-only from now on.
func Leaf(value []byte) Node {
	n := Node{value: value, leaf: true}
	if len(value) >= largeValue {
		n.root = &node{kind: bareLeaf, value: value, tall: 1}
	}
	return n
}

// Map returns the map of these entries, in any order. A label given twice is a bug
// of the caller and panics.
func Map(es ...Entry) Node {
	ns := make([]*node, len(es))
	for i, e := range es {
		ns[i] = newEntry(e.Label, e.Node)
	}
	slices.SortFunc(ns, func(a, b *node) int { return cmp.Compare(a.label, b.label) })
	for i := 1; i < len(ns); i++ {
		if ns[i-1].label == ns[i].label {
			panic(fmt.Sprintf("certify: bug: label %s is twice in one map", ns[i].label))
		}
	}
	return Node{root: build(ns)}
}

// TreeOf returns the tree whose root is this map; it panics for a leaf.
func TreeOf(m Node) Tree {
	if m.leaf {
		panic("certify: bug: the root of a state tree is a map, not a value")
	}
	return Tree{root: m.root}
}

// IsLeaf reports whether the node is a value.
func (n Node) IsLeaf() bool { return n.leaf }

// Value returns the bytes of a value, not to be changed, and nil for a map.
func (n Node) Value() []byte { return n.value }

// Len returns the number of entries of a map, and 0 for a value.
func (n Node) Len() int {
	if n.leaf || n.root == nil {
		return 0
	}
	return int(n.root.size)
}

// All iterates over the entries of a map in the order of their labels.
func (n Node) All() iter.Seq2[Label, Node] {
	return func(yield func(Label, Node) bool) {
		if !n.leaf && n.root != nil {
			each(n.root, yield)
		}
	}
}

func each(n *node, yield func(Label, Node) bool) bool {
	switch n.kind {
	case fork:
		return each(n.left, yield) && each(n.right, yield)
	case bucketNode:
		for _, e := range n.few.entries {
			if !yield(e.label, e.below()) {
				return false
			}
		}
		return true
	}
	return yield(n.label, n.below())
}

func (n *node) below() Node {
	if n.kind == leafEntry {
		return Node{root: n.left, value: n.value, leaf: true}
	}
	return Node{root: n.left}
}

// Hash returns the node's hash as a hash tree (interface specification,
// "Certificate": reconstruct).
func (n Node) Hash() [32]byte {
	if n.leaf && n.root == nil {
		return leafHash(n.value)
	}
	return mapHash(n.root)
}

// Set returns the tree with node at the path; missing maps on the way are made. At most MaxPathLabels labels. The empty
// path sets the whole tree. A path through a value is a bug of the caller and panics.
func (t Tree) Set(node Node, path ...Label) Tree {
	if len(path) > MaxPathLabels {
		panic(fmt.Sprintf("certify: bug: a path has at most %d labels, got %d", MaxPathLabels, len(path)))
	}
	if len(path) == 0 {
		return TreeOf(node)
	}
	return Tree{root: set(t.root, path, path, node)}
}

// Delete returns the tree without the node at the path. Maps on the way stay, even empty. If there is nothing at the
// path, it returns the same tree.
func (t Tree) Delete(path ...Label) Tree {
	if len(path) == 0 {
		return Tree{}
	}
	return Tree{root: unset(t.root, path)}
}

// Get returns the node at the path, and false if there is none.
func (t Tree) Get(path ...Label) (Node, bool) {
	at := Node{root: t.root}
	for _, l := range path {
		if at.leaf {
			return Node{}, false
		}
		e := find(at.root, l)
		if e == nil {
			return Node{}, false
		}
		at = e.below()
	}
	return at, true
}

// Root returns the root hash. The first call hashes what changed; later calls, and calls on trees that share nodes,
// reuse the hashes.
func (t Tree) Root() [32]byte { return mapHash(t.root) }

// Equal reports whether the trees are the same version: it compares no contents.
func (t Tree) Equal(u Tree) bool { return t.root == u.root }

// Walk calls visit for every value in the order of paths, until it returns
// false. The path is reused between calls.
func (t Tree) Walk(visit func(path Path, value []byte) bool) {
	walk(Node{root: t.root}, nil, visit)
}

func walk(n Node, path Path, visit func(Path, []byte) bool) bool {
	if n.leaf {
		return visit(path, n.value)
	}
	for l, below := range n.All() {
		if !walk(below, append(path, l), visit) {
			return false
		}
	}
	return true
}

// Nesting returns how many levels of arrays the encoding of the whole tree has, at least 1; agents read at most
// MaxNesting minus the certificate's own level.
func (t Tree) Nesting() int {
	if t.root == nil {
		return 1
	}
	return int(t.root.tall)
}

// Expand returns the paths of the values and empty maps under the prefix that keep accepts, in order: a reader who may
// not see everything under a prefix requests a witness for them instead of the prefix. If there is nothing at the
// prefix, it returns the prefix itself, whose absence the witness then proves. keep must not keep its path.
func (t Tree) Expand(prefix Path, keep func(Path) bool) []Path {
	at, ok := t.Get(prefix...)
	if !ok {
		return []Path{prefix}
	}
	return expand(nil, at, slices.Clone(prefix), keep)
}

func expand(out []Path, n Node, path Path, keep func(Path) bool) []Path {
	if n.Len() == 0 {
		if keep(path) {
			out = append(out, slices.Clone(path))
		}
		return out
	}
	for l, below := range n.All() {
		out = expand(out, below, append(path, l), keep)
	}
	return out
}
