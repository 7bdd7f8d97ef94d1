package stable

import "fmt"

// Differing returns how many pages of 4 KiB of two committed memories differ. Pages that both have in one place are not
// read. Neither memory may commit meanwhile. The error comes from the checkpoint file.
func (m *Memory) Differing(o *Memory) (pages uint64, err error) {
	a, b := m.head.table, o.head.table
	height := max(a.height, b.height)
	w := pair{m.space, o.space}
	return w.walk(a.rootAtHeight(height), b.rootAtHeight(height), height, 0)
}

// rootAtHeight returns the root of a tree as if the tree had a height.
func (t tree) rootAtHeight(height uint) *node {
	n := t.root
	for h := t.height; h < height && n != nil; h++ {
		n = &node{children: &[fanout]*node{n}}
	}
	return n
}

// pair has the spaces of two memories.
type pair struct{ a, b *space }

func (p pair) walk(x, y *node, height uint, first uint64) (pages uint64, err error) {
	if x == y {
		return 0, nil
	}
	for i := range uint64(fanout) {
		page := first + i<<(fanoutBits*height)
		if height == 0 {
			differ, err := p.differ(x.page(i), y.page(i))
			if err != nil {
				return pages, fmt.Errorf("compare page %d of two stable memories: %w", page, err)
			}
			if differ {
				pages++
			}
			continue
		}
		below, err := p.walk(x.child(i), y.child(i), height-1, page)
		if pages += below; err != nil {
			return pages, err
		}
	}
	return pages, nil
}

func (n *node) child(i uint64) *node {
	if n == nil {
		return nil
	}
	return n.children[i]
}

func (n *node) page(i uint64) uint32 {
	if n == nil {
		return 0
	}
	return n.pages[i]
}

// differ compares two file pages, where 0 stands for zeros.
func (p pair) differ(x, y uint32) (bool, error) {
	if x == y && (p.a == p.b || x == 0) {
		return false, nil
	}
	var one, two [OSPageSize]byte
	if err := p.a.readPage(x, &one); err != nil {
		return false, err
	}
	if err := p.b.readPage(y, &two); err != nil {
		return false, err
	}
	return one != two, nil
}

func (s *space) readPage(at uint32, dst *[OSPageSize]byte) error {
	if at == 0 {
		return nil
	}
	if err := s.load(); err != nil {
		return err
	}
	s.mu.Lock()
	offset, _ := s.locate(at)
	s.mu.Unlock()
	return s.file.ReadAt(dst[:], offset)
}
