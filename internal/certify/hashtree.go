package certify

import (
	"fmt"
)

// HashTree is a hash tree as a certificate carries it: the pruned form of a
// state tree (interface specification, "Certificate"). Label and Leaf alias
// what it was decoded from.
type HashTree struct {
	Kind        HashTreeKind
	Label       []byte    // of Labeled
	Leaf        []byte    // of LeafTree
	Hash        [32]byte  // of Pruned
	Left, Right *HashTree // of Fork; Labeled has its subtree in Left
}

// HashTreeKind is the first element of a hash tree's encoding.
type HashTreeKind uint8

const (
	Empty    HashTreeKind = 0
	Fork     HashTreeKind = 1
	Labeled  HashTreeKind = 2
	LeafTree HashTreeKind = 3
	Pruned   HashTreeKind = 4
)

// DecodeHashTree reads a hash tree that is the whole input. It refuses one that
// is not well-formed (interface specification, "Lookup": labels strictly
// increasing, no leaf among labels) and one deeper or larger than a subnet makes.
func DecodeHashTree(encoded []byte) (*HashTree, error) {
	r := reader{in: encoded}
	t, err := r.hashTree()
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, fmt.Errorf("read a hash tree: %w", err)
	}
	return t, nil
}

func (r *reader) hashTree() (*HashTree, error) {
	budget := maxWitnessNodes
	t, err := r.hashTreeNode(0, &budget)
	if err != nil {
		return nil, err
	}
	return t, t.wellFormed()
}

func (r *reader) hashTreeNode(depth int, budget *int) (*HashTree, error) {
	if depth == maxWitnessDepth {
		return nil, fmt.Errorf("it nests deeper than %d", maxWitnessDepth)
	}
	if *budget--; *budget < 0 {
		return nil, fmt.Errorf("it has more than %d nodes", maxWitnessNodes)
	}
	start := r.at
	length, err := r.expect(majorArray, "an array")
	if err != nil {
		return nil, err
	}
	tag, err := r.expect(majorNat, "the kind of a node")
	if err != nil {
		return nil, err
	}
	if tag > uint64(Pruned) {
		return nil, fmt.Errorf("the node at byte %d has kind %d; there are 0 to 4", start, tag)
	}
	t := &HashTree{Kind: HashTreeKind(tag)}
	if want := [...]uint64{1, 3, 3, 2, 2}[tag]; length != want {
		return nil, fmt.Errorf("the node at byte %d has %d elements; kind %d has %d", start, length, tag, want)
	}
	return t, r.hashTreeBody(t, depth, budget)
}

func (r *reader) hashTreeBody(t *HashTree, depth int, budget *int) (err error) {
	switch t.Kind {
	case Fork:
		if t.Left, err = r.hashTreeNode(depth+1, budget); err == nil {
			t.Right, err = r.hashTreeNode(depth+1, budget)
		}
	case Labeled:
		if t.Label, err = r.bytes(); err == nil {
			t.Left, err = r.hashTreeNode(depth+1, budget)
		}
	case LeafTree:
		t.Leaf, err = r.bytes()
	case Pruned:
		var h []byte
		if h, err = r.bytes(); err == nil && len(h) != len(t.Hash) {
			err = fmt.Errorf("the hash before byte %d has %d bytes; it must have 32", r.at, len(h))
		}
		copy(t.Hash[:], h)
	}
	return err
}

// Append appends the CBOR encoding.
func (t *HashTree) Append(dst []byte) []byte {
	switch t.Kind {
	case Fork:
		return t.Right.Append(t.Left.Append(append(dst, 0x83, 1)))
	case Labeled:
		return t.Left.Append(appendBytes(append(dst, 0x83, 2), t.Label))
	case LeafTree:
		return appendLeaf(dst, t.Leaf)
	case Pruned:
		return appendPruned(dst, t.Hash)
	default:
		return append(dst, 0x81, 0)
	}
}

// Root returns the hash of the tree before pruning (interface specification,
// "Certificate": reconstruct).
func (t *HashTree) Root() [32]byte {
	switch t.Kind {
	case Fork:
		return forkHash(t.Left.Root(), t.Right.Root())
	case Labeled:
		return labeledHash(t.Label, t.Left.Root())
	case LeafTree:
		return leafHash(t.Leaf)
	case Pruned:
		return t.Hash
	default:
		return emptyHash()
	}
}

// Nesting returns how many levels of arrays the encoding has.
func (t *HashTree) Nesting() int {
	switch t.Kind {
	case Fork:
		return 1 + max(t.Left.Nesting(), t.Right.Nesting())
	case Labeled:
		return 1 + t.Left.Nesting()
	default:
		return 1
	}
}

func (t *HashTree) wellFormed() error {
	if t.Kind == LeafTree {
		return nil
	}
	var before []byte
	return t.wellFormedForest(&before, new(bool))
}

// wellFormedForest checks the trees of a forest in order; before is the label
// of the last labelled one, any whether there was one.
func (t *HashTree) wellFormedForest(before *[]byte, any *bool) error {
	switch t.Kind {
	case Fork:
		if err := t.Left.wellFormedForest(before, any); err != nil {
			return err
		}
		return t.Right.wellFormedForest(before, any)
	case LeafTree:
		return fmt.Errorf("it is not well-formed: a leaf beside other trees")
	case Labeled:
		if *any && string(t.Label) <= string(*before) {
			return fmt.Errorf("it is not well-formed: label %s after %s", Label(t.Label), Label(*before))
		}
		*before, *any = t.Label, true
		return t.Left.wellFormed()
	default:
		return nil
	}
}
