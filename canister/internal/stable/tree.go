package stable

// node is a node of the page table: 64 children, or at height 0 the file pages of 64 pages, 0 for none. A node whose epoch is not the
// current one may be seen by a snapshot and is copied before it is changed.
type node struct {
	epoch uint64
	kids  *[fanout]*node
	pages *[fanout]uint32
}

const (
	fanoutBits = 6
	fanout     = 1 << fanoutBits
)

// tree maps pages to file pages. A copy of it is a snapshot, if the epoch changes before the next set.
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
		n = n.kids[i]
	}
	return 0
}

// set enters a file page and returns the one that was there.
func (t *tree) set(epoch, page uint64, to uint32) uint32 {
	for page>>(fanoutBits*(t.height+1)) != 0 {
		if t.root != nil {
			t.root = &node{epoch: epoch, kids: &[fanout]*node{t.root}}
		}
		t.height++
	}
	at := &t.root
	for height := t.height; ; height-- {
		n := own(*at, epoch, height)
		*at = n
		i := page >> (fanoutBits * height) % fanout
		if height == 0 {
			was := n.pages[i]
			n.pages[i] = to
			return was
		}
		at = &n.kids[i]
	}
}

// own returns n if it may be changed, or a copy.
func own(n *node, epoch uint64, height uint) *node {
	if n != nil && n.epoch == epoch {
		return n
	}
	c := &node{epoch: epoch}
	if height == 0 {
		c.pages = new([fanout]uint32)
		if n != nil {
			*c.pages = *n.pages
		}
		return c
	}
	c.kids = new([fanout]*node)
	if n != nil {
		*c.kids = *n.kids
	}
	return c
}

// only calls visit for the file pages of t that none of the others has at the same page. Parts that are the same nodes are passed over.
func (t *tree) only(others []*tree, visit func(at uint32)) {
	if t.root == nil {
		return
	}
	t.root.only(t.height, 0, others, visit)
}

// at is the node of a height above a page, nil where there is none.
func (t *tree) at(height uint, page uint64) *node {
	if t.root == nil || height > t.height || page>>(fanoutBits*(t.height+1)) != 0 {
		return nil
	}
	n := t.root
	for h := t.height; h > height && n != nil; h-- {
		n = n.kids[page>>(fanoutBits*h)%fanout]
	}
	return n
}

func (n *node) only(height uint, first uint64, others []*tree, visit func(at uint32)) {
	for _, o := range others {
		if o.at(height, first) == n {
			return
		}
	}
	for i := range uint64(fanout) {
		page := first + i<<(fanoutBits*height)
		if height > 0 {
			if kid := n.kids[i]; kid != nil {
				kid.only(height-1, page, others, visit)
			}
			continue
		}
		if at := n.pages[i]; at != 0 && !anyHas(others, page, at) {
			visit(at)
		}
	}
}

func anyHas(trees []*tree, page uint64, at uint32) bool {
	for _, t := range trees {
		if t.get(page) == at {
			return true
		}
	}
	return false
}
