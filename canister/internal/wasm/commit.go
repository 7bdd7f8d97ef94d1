package wasm

import (
	"bytes"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// Committed describes what a message changed.
type Committed struct {
	DirtyPages int    // 4 KiB pages whose bytes differ from before the message (or since Mark)
	HeapBytes  uint64 // size of the heap
}

// compare finds the pages that differ from the committed state.
func (g *Guest) compare() ([]span, error) {
	if g.compared {
		return g.changed, nil
	}
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	var err error
	if g.changed, err = g.resident.heap.changed(g.changed[:0]); err != nil {
		return nil, fmt.Errorf("find the pages a message wrote: %w", err)
	}
	g.compared = true
	return g.changed, nil
}

// Mark begins another execution within the same message: DirtyPages counts from here on. It copies the pages written so
// far.
func (g *Guest) Mark() error {
	g.begin()
	changed, err := g.compare()
	if err != nil {
		return err
	}
	memory := g.resident.heap.bytes()
	marked := make(map[int64]*[PageSize]byte, countPages(changed)+len(g.marked))
	for page := range g.marked {
		marked[page] = (*[PageSize]byte)(bytes.Clone(memory[page*PageSize : (page+1)*PageSize]))
	}
	for _, c := range changed {
		for page := c.first; page < c.end; page++ {
			if marked[page] == nil {
				marked[page] = (*[PageSize]byte)(bytes.Clone(memory[page*PageSize : (page+1)*PageSize]))
			}
		}
	}
	g.marked = marked
	return nil
}

// DirtyPages returns the number of 4 KiB pages whose bytes differ from before the message, or since Mark. It is 0 for a
// snapshot, whose writes are not tracked.
func (g *Guest) DirtyPages() int {
	if !g.open || g.origin != nil {
		return 0
	}
	changed, err := g.compare()
	if err != nil {
		panic(fmt.Errorf("wasm: %w", err))
	}
	n := countPages(changed)
	if len(g.marked) == 0 {
		return n
	}
	memory := g.resident.heap.bytes()
	for page, before := range g.marked {
		if contains(changed, page) {
			n--
		}
		if !checkpoint.Equal(before[:], memory[page*PageSize:(page+1)*PageSize]) {
			n++
		}
	}
	return n
}

// Commit commits heap and globals and ends the message. On an error (the disk is full) nothing is committed, and the
// message is still open and must be rolled back: its heap may have any bytes. To commit a snapshot is a bug.
func (g *Guest) Commit() (Committed, error) {
	if g.origin != nil {
		panic("wasm: commit of a snapshot")
	}
	g.begin()
	return g.commit()
}

func (g *Guest) commit() (Committed, error) {
	c := Committed{HeapBytes: g.MemorySize()}
	changed, err := g.compare()
	if err != nil {
		return Committed{}, err
	}
	c.DirtyPages = g.DirtyPages()
	if err := g.store(changed); err != nil {
		return Committed{}, fmt.Errorf("commit %d pages of heap: %w", countPages(changed), err)
	}
	if g.lost {
		g.evict() // the slot has everything
		g.lost = false
	}
	if p := g.predecessor; p != nil {
		g.predecessor = nil
		p.Close()
	}
	g.finish()
	return c, nil
}

// store writes the changed pages and the globals to the slot.
func (g *Guest) store(changed []span) error {
	s, l := g.slot, g.resident
	s.mu.Lock()
	defer s.mu.Unlock()
	memory := l.heap.bytes()
	if s.volatile && len(s.patches)+countPages(changed) > maxPatches {
		if err := s.persist(); err != nil {
			return err
		}
	}
	if s.volatile {
		s.keep(memory, changed)
	} else {
		if err := s.room(int64(len(memory)), changed); err != nil {
			return err
		}
		if err := s.write(memory, changed, l.heap.written); err != nil {
			return err
		}
	}
	lost := l.heap.committed(changed) != nil
	s.size = int64(len(memory))
	if len(s.globals) != g.code.layout.words || s.globals == nil {
		s.globals = make([]uint64, g.code.layout.words)
	}
	readGlobals(l.globals, s.globals)
	s.owner = g
	s.version++
	g.version = s.version
	if lost {
		g.lost = true
	} else if s.base != nil && !s.volatile {
		s.settle(s.size, g.engine.heaps.maxRuns(s.size), l.heap.remap)
	}
	return nil
}

// Rollback ends the message and restores the committed heap and globals. Without an open message it does nothing. A
// successor that keeps the heap can only be closed, not rolled back, before it is committed.
func (g *Guest) Rollback() {
	if !g.open {
		return
	}
	if p := g.predecessor; p != nil && p.slot == g.slot {
		panic("wasm: rollback of a successor that was not committed; close it")
	}
	if err := g.rollback(); err != nil {
		// The committed bytes are intact: becoming resident from them is equivalent.
		g.evict()
	}
	g.finish()
}

func (g *Guest) rollback() error {
	s, l := g.slot, g.resident
	s.mu.Lock()
	grown := int64(len(l.heap.bytes())) != g.began
	if g.origin != nil {
		s.unsubscribe(l.heap)
	}
	stale := g.version != s.version
	s.mu.Unlock()
	if grown {
		g.evict() // memory cannot shrink
		return nil
	}
	if stale {
		return nil // commits went past this snapshot: beginSnapshot loads the newest state
	}
	return g.restore()
}

// restore undoes the message in place. No other commit can intervene: only the owner commits, and a snapshot checks its
// version again.
func (g *Guest) restore() error {
	s, l := g.slot, g.resident
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.version != s.version {
		return nil
	}
	if err := l.heap.restore(g.changed, g.compared); err != nil {
		return err
	}
	if s.globals != nil {
		writeGlobals(l.globals, s.globals)
	}
	return nil
}

// finish closes the message.
func (g *Guest) finish() {
	g.open, g.compared, g.marked = false, false, nil
	if g.held.active {
		g.slot.mu.Lock()
		g.discardHeld()
		g.slot.mu.Unlock()
	}
	if g.resident != nil {
		g.resident.restoreSegments()
	}
	g.residency.Unlock()
}

// Globals returns the mutable globals: of the open message, or the committed ones.
func (g *Guest) Globals() []GlobalValue {
	words := make([]uint64, g.code.layout.words)
	if g.open {
		readGlobals(g.resident.globals, words)
		return g.code.layout.values(words)
	}
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	copy(words, g.slot.globals)
	return g.code.layout.values(words)
}

// ReadHeap fills dst with heap bytes at off, of the open message or the committed ones. It makes no guest resident.
func (g *Guest) ReadHeap(off uint64, dst []byte) error {
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	size := uint64(g.slot.size)
	if g.open {
		size = uint64(len(g.resident.heap.bytes()))
	}
	if off > size || uint64(len(dst)) > size-off {
		return fmt.Errorf("read %d bytes of heap at offset %d: the heap has %d bytes", len(dst), off, size)
	}
	if g.open {
		checkpoint.Copy(dst, g.resident.heap.bytes()[off:])
		return nil
	}
	return g.slot.read(dst, int64(off))
}
