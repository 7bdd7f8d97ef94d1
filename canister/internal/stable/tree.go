package stable

import "github.com/canisterd/canisterd/archive"

// node is a node of the page table: 64 children, or at height 0 the file pages of 64 pages, 0 for none. A node with
// several users is copied before it is changed.
type node struct {
	users    int // nodes and memories that have it; guarded by the space's mu
	children *[fanout]*node
	pages    *[fanout]uint32
	saved    *archive.Segments // of a root: the archived pages of the tree, or nil
}

const (
	fanoutBits = 6
	fanout     = 1 << fanoutBits
)

// tree maps pages to file pages. It may share nodes with others.
type tree struct {
	root   *node
	height uint
}

func (t tree) get(page uint64) uint32 {
	if page>>(fanoutBits*(t.height+1)) != 0 {
		return 0
	}
	n := t.root
	for height := t.height; n != nil; height-- {
		i := page >> (fanoutBits * height) % fanout
		if height == 0 {
			return n.pages[i]
		}
		n = n.children[i]
	}
	return 0
}

// share returns the same tree for another memory. Needs the space's mu.
func (t tree) share() tree {
	if t.root != nil {
		t.root.users++
	}
	return t
}

// set sets the file page of a page and returns the previous one. The file pages of copied nodes get another owner.
// Needs the space's mu.
func (t *tree) set(s *owners, page uint64, to uint32) uint32 {
	for page>>(fanoutBits*(t.height+1)) != 0 {
		if t.root != nil {
			t.root = &node{users: 1, children: &[fanout]*node{t.root}}
		}
		t.height++
	}
	at := &t.root
	for height := t.height; ; height-- {
		n := own(*at, height, s)
		n.saved = nil
		*at = n
		i := page >> (fanoutBits * height) % fanout
		if height == 0 {
			was := n.pages[i]
			n.pages[i] = to
			return was
		}
		at = &n.children[i]
	}
}

// own returns n if it is not shared, or a copy.
func own(n *node, height uint, s *owners) *node {
	if n != nil && n.users == 1 {
		return n
	}
	c := &node{users: 1}
	if height == 0 {
		c.pages = new([fanout]uint32)
	} else {
		c.children = new([fanout]*node)
	}
	if n == nil {
		return c
	}
	n.users--
	if height == 0 {
		*c.pages = *n.pages
		for _, at := range c.pages {
			s.add(at)
		}
		return c
	}
	*c.children = *n.children
	for _, kid := range c.children {
		if kid != nil {
			kid.users++
		}
	}
	return c
}

// release releases the tree of a memory, and calls visit for the file pages that have lost their last owner. It skips
// nodes with other users. Needs the space's mu.
func (t *tree) release(s *owners, visit func(at uint32)) {
	if t.root != nil {
		t.root.release(s, visit)
	}
	*t = tree{}
}

func (n *node) release(s *owners, visit func(at uint32)) {
	if n.users--; n.users > 0 {
		return
	}
	if n.pages != nil {
		for _, at := range n.pages {
			if at != 0 && s.drop(at) {
				visit(at)
			}
		}
		return
	}
	for _, kid := range n.children {
		if kid != nil {
			kid.release(s, visit)
		}
	}
}
