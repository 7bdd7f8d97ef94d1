package stable

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// archiveCommit is after how many pages Read commits the memory.
const archiveCommit = 4096

// Archive writes the committed state of a memory: the pages that were ever written. No message may be open.
func (m *Memory) Archive(c *archive.Coder) {
	size := m.size
	archive.Number(c, &size)
	t := m.tree()
	saved := m.space.savedOf(&t)
	if c.KeepPages(saved) {
		return
	}
	all := archive.NewPages(c)
	t.each(func(page uint64) bool {
		content := all.Room()
		if err := m.readPage(page, 0, content); err != nil {
			c.Fail("read page %d of a stable memory: %w", page, err)
		}
		all.Put(page, content)
		return !c.Failed()
	})
	saved.Add(all.Close())
}

// savedOf returns the archived pages of a tree.
func (s *space) savedOf(t *tree) *archive.Segments {
	if t.root == nil {
		return new(archive.Segments)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.root.saved == nil {
		t.root.saved = new(archive.Segments)
	}
	return t.root.saved
}

// Read makes a memory from what Archive has written. Content that does not fit, or a full disk, is a fault; the memory
// is then nil.
func Read(c *archive.Coder, file *checkpoint.File) *Memory {
	var size uint64
	archive.AtMost(c, &size, MaxPages)
	m := New(file)
	m.Grow(size)
	pages := uint64(0)
	segment := archive.ReadPages(c, size*(PageSize/OSPageSize), func(first, count uint64, content []byte) error {
		for i := range count {
			page := zeros[:]
			if content != nil {
				page = content[i*OSPageSize:][:OSPageSize]
			}
			if err := m.Write((first+i)*OSPageSize, page); err != nil {
				return err
			}
			if pages++; pages%archiveCommit == 0 {
				if err := m.Commit(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	err := m.Commit()
	if err == nil && segment != nil {
		err = m.attach(segment)
	}
	if err != nil {
		c.Fail("keep a stable memory that was read: %w", err)
	}
	if c.Failed() {
		m.Close()
		return nil
	}
	return m
}

var zeros [OSPageSize]byte

// each visits the pages that were ever written in order, until visit returns false.
func (t *tree) each(visit func(page uint64) bool) {
	if t.root != nil {
		t.root.each(t.height, 0, visit)
	}
}

func (n *node) each(height uint, first uint64, visit func(page uint64) bool) bool {
	for i := range uint64(fanout) {
		page := first + i<<(fanoutBits*height)
		switch {
		case height == 0 && n.pages[i] != 0 && !visit(page):
			return false
		case height > 0 && n.children[i] != nil && !n.children[i].each(height-1, page, visit):
			return false
		}
	}
	return true
}
