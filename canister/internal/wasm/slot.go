package wasm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// slot is the committed state of one canister's Wasm: heap bytes in the checkpoint file and globals. Only the owner
// changes it, under mu; snapshots read it under mu.
type slot struct {
	mu sync.Mutex // guards what follows
	store
	size    int64    // bytes of heap
	globals []uint64 // two words for a v128, one for the rest
	version uint64   // counts commits
	owner   *Guest   // nil once closed
	readers []reader // heaps of open snapshots
	// volatile says that commits go to patches; pool holds its idle instances, nil for others.
	volatile bool
	patches  patches
	pool     *pool
	refs     int
}

// reader is the heap of an open snapshot. It saves its version of a page before that is overwritten, and holds
// references to the layers from which it is mapped.
type reader struct {
	heap   heap
	layers []*layer
}

// span is a run of pages, [first, end).
type span struct{ first, end int64 }

func (s *slot) retain() {
	s.mu.Lock()
	s.refs++
	s.mu.Unlock()
}

// release drops a reference. The last one frees everything; the mappings no longer exist then.
func (s *slot) release() {
	s.mu.Lock()
	s.refs--
	last := s.refs == 0
	s.mu.Unlock()
	if last {
		s.dropPatches()
		s.pool.release()
		s.close()
	}
}

// room ensures that the extents hold a heap of size bytes, unless the layers hold it and nothing changed. Needs mu.
func (s *slot) room(size int64, changed []span) error {
	if len(changed) == 0 {
		return s.cover(size)
	}
	return s.ensure(size)
}

// write commits the changed pages of memory, after open snapshots have saved what they still need. On an error nothing
// has changed. written is called for new pages that are in the file. Needs mu.
func (s *slot) write(memory []byte, changed []span, written func(span)) error {
	if reached, err := s.tryWrite(memory, changed, written); err != nil {
		// In as few calls as possible: each may wait for the disk.
		s.eachAbsentRange(before(changed, reached), s.file.Punch)
		return err
	}
	s.leave(changed)
	for _, c := range changed {
		for page := c.first; page < c.end; page++ {
			s.enter(page)
		}
	}
	return nil
}

// eachAbsentRange calls visit for the ranges of the file that hold the changed pages that are not present. Runs of such
// pages are visited together with the absent pages between them. Needs mu.
func (s *slot) eachAbsentRange(changed []span, visit func(offset, size int64)) {
	var from, to int64 // bytes of the file
	var last int64     // the page after them
	_ = s.eachRun(changed, false, func(first, end, offset int64) error {
		if gap := (first - last) * PageSize; from == to || offset != to+gap || !s.present.none(last, first) {
			if from < to {
				visit(from, to-from)
			}
			from = offset
		}
		to, last = offset+(end-first)*PageSize, end
		return nil
	})
	if from < to {
		visit(from, to-from)
	}
}

// tryWrite first writes the pages that are new in the extents: space may be missing only for these, and they are easily
// discarded. On an error, the pages that were present are unchanged, and the new ones before page reached have any
// content.
func (s *slot) tryWrite(memory []byte, changed []span, written func(span)) (reached int64, err error) {
	for _, r := range s.readers {
		for _, c := range changed {
			r.heap.preserve(c)
		}
	}
	err = s.eachRun(changed, false, func(first, end, offset int64) error {
		reached = end
		err := s.file.Reserve(offset, (end-first)*PageSize)
		for ; err == nil && first < end; first += writtenPart {
			part := span{first, min(first+writtenPart, end)}
			err = s.file.WriteAt(memory[part.first*PageSize:part.end*PageSize], offset)
			offset += writtenPart * PageSize
			if err == nil {
				written(part)
			}
		}
		return err
	})
	if err != nil {
		return reached, err
	}
	return reached, s.overwrite(memory, changed)
}

// before returns the part of the spans before a page.
func before(spans []span, page int64) (part []span) {
	for _, p := range spans {
		if p.first < page {
			part = append(part, span{p.first, min(p.end, page)})
		}
	}
	return part
}

// undo has the committed bytes of a page that is being overwritten.
type undo struct {
	offset int64
	bytes  *checkpoint.Page
}

// overwrite replaces the changed pages that are present. If the file fails at one of them, it restores the others.
func (s *slot) overwrite(memory []byte, changed []span) error {
	var few [stickyPages]undo
	done := few[:0]
	err := s.eachRun(changed, true, func(first, end, offset int64) error {
		for at := offset; !s.file.InMemory() && len(done) < maxUndo && at < offset+(end-first)*PageSize; at += PageSize {
			old := s.file.Borrow()
			if err := s.file.ReadAt(old[:], at); err != nil {
				s.file.Return(old)
				return err
			}
			done = append(done, undo{at, old})
		}
		return s.file.Overwrite(memory[first*PageSize:end*PageSize], offset)
	})
	if err != nil {
		s.putBack(done, err)
	}
	for _, u := range done {
		s.file.Return(u.bytes)
	}
	return err
}

// putBack restores the old bytes of pages after a commit failed. If that fails too, execution cannot continue.
func (s *slot) putBack(done []undo, cause error) {
	if len(done) >= maxUndo {
		panic(fmt.Errorf("wasm: commit failed after %d pages were overwritten, the heap is lost: %w", len(done), cause))
	}
	for _, u := range done {
		if err := s.file.WriteAt(u.bytes[:], u.offset); err != nil {
			panic(fmt.Errorf("wasm: commit failed and cannot be undone, the heap is lost: %w: %w", cause, err))
		}
	}
}

// eachRun calls visit for the runs of changed pages that are contiguous in the extents, and either all present there or
// all absent.
func (s *slot) eachRun(changed []span, present bool, visit func(first, end, offset int64) error) error {
	for _, c := range changed {
		for first := c.first; first < c.end; {
			offset, pages := s.locate(first)
			limit, is := min(c.end, first+pages), s.present.has(first)
			end := first + 1
			for end < limit && s.present.has(end) == is {
				end++
			}
			if is == present {
				if err := visit(first, end, offset); err != nil {
					return err
				}
			}
			first = end
		}
	}
	return nil
}

// trimAll trims the first pages of the slot, once the owner no longer maps them. If the slot was frozen after the owner
// grew, the new pages went to the layer, which is not trimmed.
func (s *slot) trimAll(pages int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim([]span{{0, min(pages, s.reach())}})
}

// freeze freezes the store; open snapshots keep references to the layers they are mapped from. Needs mu.
func (s *slot) freeze() *layer {
	l := s.store.freeze(s.size)
	for i := range s.readers {
		r := &s.readers[i]
		r.layers = append(r.layers, l.share())
	}
	return l
}

// subscribe and unsubscribe maintain the list of open snapshots. They need mu.
func (s *slot) subscribe(h heap) {
	r := reader{heap: h}
	if s.base != nil {
		r.layers = append(r.layers, s.base.share())
	}
	s.readers = append(s.readers, r)
}

func (s *slot) unsubscribe(h heap) {
	i := slices.IndexFunc(s.readers, func(r reader) bool { return r.heap == h })
	if i < 0 {
		return
	}
	for _, l := range s.readers[i].layers {
		l.release()
	}
	s.readers = slices.Delete(s.readers, i, i+1)
}
