package stable

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// Memory is one stable memory, or a snapshot of one. Writes last until Rollback, and permanently after Commit.
type Memory struct {
	space    *space
	head     *head // the committed state: own, or of the memory it is a snapshot of
	own      head
	snapshot bool
	closed   bool

	table tree   // the pages before the writes of the message
	size  uint64 // in pages of 64 KiB, including the growth by the message

	buffers map[uint64]*checkpoint.Page // pages the message wrote
	spilled map[uint64]uint32           // more of them, in separate file pages
	held    *layer                      // what it wrote before the last Hold, or nil
	full    bool                        // the file had no space for more
	touched touched
	scratch scratch
}

// ErrOutOfBounds is the error of a range outside the memory.
var ErrOutOfBounds = errors.New("stable memory out of bounds")

// New makes an empty stable memory whose bytes are kept in the file.
func New(file *checkpoint.File) *Memory {
	m := &Memory{space: &space{file: file, users: 1}}
	m.head = &m.own
	return m
}

// Fork makes an independent memory with the committed bytes of m, at the cost of a few pointers: the two share every
// page until one of them writes it. Only m has the writes of its open message.
func (m *Memory) Fork() *Memory { return m.space.fork(m.head) }

// Written returns the number of pages of 4 KiB that were ever written.
func (m *Memory) Written() uint64 { return m.head.written }

// Close releases everything; the pages that open snapshots see stay until they are closed.
func (m *Memory) Close() {
	if m.closed {
		return
	}
	m.closed = true
	m.discard()
	m.forget()
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.snapshot {
		s.leave(&m.table)
	} else {
		s.leave(&m.head.table)
	}
}

// Snapshot returns a memory with the committed bytes of m, which later commits of m do not change; Rollback moves it to
// the newest ones. It cannot be committed. It may be called from any goroutine.
func (m *Memory) Snapshot() *Memory {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Memory{space: s, head: m.head, snapshot: true}
	s.users++
	s.enter(r)
	return r
}

// Size returns the number of pages of 64 KiB.
func (m *Memory) Size() uint64 { return m.size }

// Grow adds zero pages of 64 KiB, and returns the size before; false if the memory would be bigger than MaxPages.
func (m *Memory) Grow(pages uint64) (uint64, bool) {
	if pages > MaxPages-m.size {
		return 0, false
	}
	was := m.size
	m.size += pages
	return was, true
}

// InBounds reports whether [offset, offset+size) lies in the memory.
func (m *Memory) InBounds(offset, size uint64) bool {
	bytes := m.size * PageSize
	return offset <= bytes && size <= bytes-offset
}

// Fresh counts the pages of 4 KiB in [offset, offset+size) that this execution neither accessed nor wrote
// (spec/metering.md §5). It changes nothing: the caller compares with budgets and charges before it reads or writes.
func (m *Memory) Fresh(offset, size uint64) (unaccessed, unwritten uint64) {
	first, end := pagesOf(offset, size)
	return m.touched.fresh(first, end)
}

// NewExecution resets the touched pages: counts start from zero within the same message.
func (m *Memory) NewExecution() { m.touched.reset() }

func pagesOf(offset, size uint64) (first, end uint64) {
	if size == 0 {
		return 0, 0
	}
	return offset / OSPageSize, (offset+size-1)/OSPageSize + 1
}

// Read fills dst with the bytes at offset. The error is ErrOutOfBounds or comes from the file.
func (m *Memory) Read(offset uint64, dst []byte) error {
	if !m.InBounds(offset, uint64(len(dst))) {
		return fmt.Errorf("read %d bytes at %d of %d: %w", len(dst), offset, m.size*PageSize, ErrOutOfBounds)
	}
	first, end := pagesOf(offset, uint64(len(dst)))
	m.touched.mark(first, end, false)
	return m.read(offset, dst)
}

// Peek is Read for inspection, without counting as an access.
func (m *Memory) Peek(offset uint64, dst []byte) error {
	if !m.InBounds(offset, uint64(len(dst))) {
		return fmt.Errorf("read %d bytes at %d of %d: %w", len(dst), offset, m.size*PageSize, ErrOutOfBounds)
	}
	return m.read(offset, dst)
}

func (m *Memory) read(offset uint64, dst []byte) error {
	for len(dst) > 0 {
		in := offset % OSPageSize
		n := min(OSPageSize-in, uint64(len(dst)))
		if err := m.readPage(offset/OSPageSize, in, dst[:n]); err != nil {
			return err
		}
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// readPage fills dst with bytes of one page.
func (m *Memory) readPage(page, in uint64, dst []byte) error {
	if len(m.buffers) > 0 {
		if b := m.buffers[page]; b != nil {
			copy(dst, b[in:])
			return nil
		}
	}
	at, held := m.at(page)
	switch {
	case held != nil:
		copy(dst, held[in:])
		return nil
	case at == 0:
		clear(dst)
		return nil
	}
	if err := m.space.load(); err != nil {
		return err
	}
	m.space.mu.Lock()
	offset, _ := m.space.locate(at)
	m.space.mu.Unlock()
	return m.space.file.ReadAt(dst, offset+int64(in))
}

// Changed returns the number of pages of 4 KiB that the open message has written.
func (m *Memory) Changed() int {
	n := len(m.buffers)
	for page := range m.spilled {
		if m.buffers[page] == nil {
			n++
		}
	}
	return n
}

// tree returns the page table at the beginning of the message. Only the owner changes it, so it needs no lock here.
func (m *Memory) tree() tree {
	if m.snapshot {
		return m.table
	}
	return m.head.table
}

// Write writes src at offset. The error is ErrOutOfBounds, or reports that the file is full; some bytes may then be
// written, and the message should be rolled back.
func (m *Memory) Write(offset uint64, src []byte) error {
	if !m.InBounds(offset, uint64(len(src))) {
		return fmt.Errorf("write %d bytes at %d of %d: %w", len(src), offset, m.size*PageSize, ErrOutOfBounds)
	}
	first, end := pagesOf(offset, uint64(len(src)))
	m.touched.mark(first, end, true)
	for len(src) > 0 {
		in := offset % OSPageSize
		n := min(OSPageSize-in, uint64(len(src)))
		b, err := m.buffer(offset/OSPageSize, n == OSPageSize)
		if err != nil {
			return err
		}
		copy(b[in:], src[:n])
		src, offset = src[n:], offset+n
	}
	return nil
}

// buffer returns the buffer of a page, filled with the page unless the caller overwrites all of it.
func (m *Memory) buffer(page uint64, whole bool) (*checkpoint.Page, error) {
	if b := m.buffers[page]; b != nil {
		return b, nil
	}
	if len(m.buffers) >= maxBuffered {
		if err := m.spill(); err != nil {
			return nil, err
		}
	}
	if m.buffers == nil {
		m.buffers = map[uint64]*checkpoint.Page{}
	}
	b := m.space.file.Borrow()
	if !whole {
		if err := m.readPage(page, 0, b[:]); err != nil {
			m.space.file.Return(b)
			return nil, err
		}
	}
	m.buffers[page] = b
	return b, nil
}
