package stable

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// layer is what a message wrote before Hold.
type layer struct {
	size    uint64 // in pages of 64 KiB
	buffers map[uint64]*checkpoint.Page
	spilled map[uint64]uint32
}

// Hold saves the memory of a snapshot for Revert, until the next Hold or Rollback. On an error (the disk is full) the
// message should be rolled back.
func (m *Memory) Hold() error {
	if !m.snapshot {
		panic("stable: hold of a memory that is no snapshot")
	}
	if m.held == nil {
		m.held = &layer{buffers: map[uint64]*checkpoint.Page{}, spilled: map[uint64]uint32{}}
	}
	if len(m.held.buffers)+len(m.buffers) > maxBuffered {
		if err := m.spill(); err != nil {
			return fmt.Errorf("remember the stable memory of a query: %w", err)
		}
	}
	m.held.size = m.size
	m.sink()
	return nil
}

// sink moves what the message wrote since the last Hold to what it had written before.
func (m *Memory) sink() {
	h, old := m.held, m.scratch.old[:0]
	for page, at := range m.spilled {
		if was := h.spilled[page]; was != 0 {
			old = append(old, was)
		}
		h.spilled[page] = at
		m.unbuffer(h.buffers, page)
	}
	for page, b := range m.buffers {
		if was := h.spilled[page]; was != 0 {
			old = append(old, was)
			delete(h.spilled, page)
		}
		m.unbuffer(h.buffers, page)
		h.buffers[page] = b
	}
	clear(m.spilled)
	clear(m.buffers)
	m.giveUp(old)
}

func (m *Memory) unbuffer(buffers map[uint64]*checkpoint.Page, page uint64) {
	if b := buffers[page]; b != nil {
		m.space.file.Return(b)
		delete(buffers, page)
	}
}

// giveUp frees unreferenced file pages.
func (m *Memory) giveUp(pages []uint32) {
	m.scratch.old = pages
	if len(pages) == 0 {
		return
	}
	m.space.mu.Lock()
	m.space.give(pages, maxFree)
	m.space.mu.Unlock()
}

// Revert restores the memory of the last Hold.
func (m *Memory) Revert() {
	if m.held == nil {
		panic("stable: revert of a memory that was not held")
	}
	m.discard()
	m.size = m.held.size
}

// forget frees what was held.
func (m *Memory) forget() {
	h := m.held
	if h == nil {
		return
	}
	m.held = nil
	for _, b := range h.buffers {
		m.space.file.Return(b)
	}
	old := m.scratch.old[:0]
	for _, at := range h.spilled {
		old = append(old, at)
	}
	m.giveUp(old)
}

// at returns the file page of a page that is in no buffer of the message, 0 if it is all zero; or its buffer from
// before Hold.
func (m *Memory) at(page uint64) (file uint32, buffer *checkpoint.Page) {
	if at := m.spilled[page]; at != 0 {
		return at, nil
	}
	if h := m.held; h != nil {
		if b := h.buffers[page]; b != nil {
			return 0, b
		}
		if at := h.spilled[page]; at != 0 {
			return at, nil
		}
	}
	return m.tree().get(page), nil
}
