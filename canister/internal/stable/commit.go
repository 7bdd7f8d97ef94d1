package stable

import (
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// scratch has lists that the end of a message needs, kept so that small messages do not allocate.
type scratch struct {
	order []uint64           // pages in the order of the memory
	row   []*checkpoint.Page // buffers that are written together
	old   []uint32           // file pages to free
}

// spill writes the buffers to file pages that only this message knows, and if possible pages that are adjacent in
// memory to adjacent file pages.
func (m *Memory) spill() error {
	if err := m.space.load(); err != nil {
		return err
	}
	if m.spilled == nil {
		m.spilled = map[uint64]uint32{}
	}
	order := m.scratch.order[:0]
	for page := range m.buffers {
		order = append(order, page)
	}
	slices.Sort(order)
	m.scratch.order = order
	for len(order) > 0 {
		n, err := m.spillSome(order)
		if err != nil {
			m.full = m.full || errors.Is(err, checkpoint.ErrFull)
			return fmt.Errorf("write stable memory: %w", err)
		}
		order = order[n:]
	}
	return nil
}

// spillSome writes the first of these pages, and as many after it as get adjacent file pages, and returns how many.
func (m *Memory) spillSome(order []uint64) (int, error) {
	s := m.space
	s.mu.Lock()
	place, offset, old, again, err := m.place(order)
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n := int(place.pages)
	row := m.scratch.row[:0]
	for _, page := range order[:n] {
		row = append(row, m.buffers[page])
	}
	m.scratch.row = row
	if err := s.file.WritePages(row, offset, old); err != nil {
		if !again {
			s.mu.Lock()
			s.empty(place)
			s.mu.Unlock()
		}
		return 0, err
	}
	for i, page := range order[:n] {
		m.spilled[page] = place.first + uint32(i)
		delete(m.buffers, page)
		s.file.Return(row[i])
	}
	clear(row)
	return n, nil
}

// place finds file pages for the first of these pages and some after it: those that they already have (again), or new
// ones. old says that the file pages have space. Needs the space's mu.
func (m *Memory) place(order []uint64) (r run, offset int64, old, again bool, err error) {
	first, again := m.spilled[order[0]]
	n := uint32(1)
	if !again {
		for int(n) < len(order) && m.spilled[order[n]] == 0 {
			n++
		}
		r, offset, old, err = m.space.take(n)
		return r, offset, old, false, err
	}
	offset, room := m.space.locate(first)
	for int(n) < len(order) && n < room && m.spilled[order[n]] == first+n {
		n++
	}
	return run{first, n}, offset, true, true, nil
}

// Prepare does everything in Commit that may fail: it writes the message's changes to the file, where they are not
// visible yet. After success or an error (the disk is full), the message is still open until Commit or Rollback.
func (m *Memory) Prepare() error {
	if m.snapshot {
		panic("stable: commit of a snapshot")
	}
	if len(m.buffers) == 0 {
		return nil
	}
	return m.spill()
}

// Yield makes the rollback of the message free all unused space, because the file is full.
func (m *Memory) Yield() { m.full = true }

// Commit commits the writes of the message. On an error nothing is committed and the message is still open; if nothing
// was written since Prepare, it cannot fail.
func (m *Memory) Commit() error {
	if err := m.Prepare(); err != nil {
		return err
	}
	m.touched.reset()
	s, h := m.space, m.head
	if h.size == m.size && len(m.spilled) == 0 {
		return nil // only the owner writes what others read under mu
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h.size = m.size
	if len(m.spilled) == 0 {
		return nil
	}
	order, old := m.scratch.order[:0], m.scratch.old[:0]
	for page := range m.spilled {
		order = append(order, page)
	}
	slices.Sort(order)
	for _, page := range order {
		was := h.table.set(&s.owners, page, m.spilled[page])
		if was == 0 {
			h.written++
		} else if s.owners.drop(was) {
			old = append(old, was)
		}
	}
	s.give(old, maxFree)
	m.scratch.order, m.scratch.old = order, old
	m.clear()
	return nil
}

// Rollback discards what the message wrote and grew. A snapshot then sees the newest committed state.
func (m *Memory) Rollback() {
	m.discard()
	m.forget()
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.snapshot {
		s.drop(&m.table)
		s.enter(m)
	}
	m.size = m.head.size
}

// discard frees what the message took; after a lack of space, all of it, because others may need it more.
func (m *Memory) discard() {
	m.touched.reset()
	for _, b := range m.buffers {
		m.space.file.Return(b)
	}
	clear(m.buffers)
	if len(m.spilled) == 0 && !m.full {
		return
	}
	old := m.scratch.old[:0]
	for _, at := range m.spilled {
		old = append(old, at)
	}
	keep := maxFree
	if m.full {
		keep = 0
	}
	m.space.mu.Lock()
	m.space.give(old, keep)
	m.space.mu.Unlock()
	m.scratch.old = old
	m.clear()
}

// clear empties the record of what was written, and frees what a big message added to it.
func (m *Memory) clear() {
	m.full = false
	if len(m.spilled) > maxBuffered {
		m.spilled, m.buffers, m.scratch = nil, nil, scratch{}
	} else {
		clear(m.spilled)
	}
}
