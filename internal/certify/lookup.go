package certify

// LookupStatus is the kind of answer a hash tree has for a path (interface
// specification, "Lookup").
type LookupStatus uint8

const (
	// Unknown: the path may have been pruned.
	Unknown LookupStatus = iota
	// Absent: the path is not in the tree.
	Absent
	// Found: the path has the value.
	Found
	// NotAValue: the path is in the tree but leads to a map (the
	// specification's Error).
	NotAValue
)

// String returns the status in the specification's words.
func (s LookupStatus) String() string {
	return [...]string{"Unknown", "Absent", "Found", "Error"}[s]
}

// Lookup returns the value at the path; nil unless the status is Found.
func (t *HashTree) Lookup(path ...Label) ([]byte, LookupStatus) {
	at, status := t.descend(path)
	if status != Found {
		return nil, status
	}
	switch at.Kind {
	case Empty:
		return nil, Absent
	case LeafTree:
		return at.Leaf, Found
	case Pruned:
		return nil, Unknown
	default:
		return nil, NotAValue
	}
}

// LookupSubtree returns the subtree at the path, value or map, possibly partly pruned; nil unless the status is Found.
// An empty map is Absent.
func (t *HashTree) LookupSubtree(path ...Label) (*HashTree, LookupStatus) {
	at, status := t.descend(path)
	switch {
	case status != Found:
		return nil, status
	case at.Kind == Empty:
		return nil, Absent
	case at.Kind == Pruned:
		return nil, Unknown
	default:
		return at, Found
	}
}

func (t *HashTree) descend(path Path) (*HashTree, LookupStatus) {
	for _, label := range path {
		below, status := t.child(label)
		if status != Found {
			return nil, status
		}
		t = below
	}
	return t, Found
}

// child implements the specification's find_label on the flattened forks.
func (t *HashTree) child(label Label) (*HashTree, LookupStatus) {
	if t.Kind == LeafTree {
		return nil, Absent
	}
	s := search{label: label, gap: true}
	s.visit(t)
	switch {
	case s.found != nil:
		return s.found, Found
	case s.absent || s.gap && !s.passed:
		return nil, Absent
	default:
		return nil, Unknown
	}
}

// search walks a forest from left to right. gap says that nothing pruned is between the last label below the target, or
// the beginning, and the current position.
type search struct {
	label               Label
	gap, passed, absent bool
	found               *HashTree
}

func (s *search) visit(t *HashTree) {
	switch {
	case s.passed || s.found != nil:
	case t.Kind == Fork:
		s.visit(t.Left)
		s.visit(t.Right)
	case t.Kind == Labeled && string(t.Label) == string(s.label):
		s.found = t.Left
	case t.Kind == Labeled && string(t.Label) < string(s.label):
		s.gap = true
	case t.Kind == Labeled:
		s.passed, s.absent = true, s.gap
	case t.Kind != Empty:
		s.gap = false
	}
}

// Walk calls visit for every value that is not pruned, in the order of paths,
// until it returns false. The path is reused between calls.
func (t *HashTree) Walk(visit func(path Path, value []byte) bool) {
	t.walk(nil, visit)
}

func (t *HashTree) walk(path Path, visit func(Path, []byte) bool) bool {
	switch t.Kind {
	case Fork:
		return t.Left.walk(path, visit) && t.Right.walk(path, visit)
	case Labeled:
		return t.Left.walk(append(path, Label(t.Label)), visit)
	case LeafTree:
		return visit(path, t.Leaf)
	default:
		return true
	}
}

// Paths returns the paths of all values that are not pruned, in order.
func (t *HashTree) Paths() []Path {
	var out []Path
	t.Walk(func(p Path, _ []byte) bool {
		out = append(out, append(Path(nil), p...))
		return true
	})
	return out
}
