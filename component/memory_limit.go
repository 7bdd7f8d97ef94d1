package component

import (
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// WithMemoryLimit limits the bytes that an instance takes, with all instances of components and core modules in it:
// memories, tables, handles, and what the host keeps for each. The default is [DefaultMemoryLimit].
//
// At the limit memory.grow gives -1. A declared minimum beyond the limit traps; a declared maximum does not. The limit is of
// sizes: a memory that grows is copied, so that for a moment it is there twice.
func WithMemoryLimit(bytes uint64) InstanceOption { return func(h *host) { h.memory.limit = bytes } }

// memoryBudget counts the bytes that a tree of instances takes because its core code or its definitions ask for them.
type memoryBudget struct {
	limit, used uint64
	refused     uint64 // bytes of the last memory.grow that was refused; 0 if none was
}

// take says whether there are so many bytes, and takes them.
func (b *memoryBudget) take(n uint64) bool {
	if n > b.limit-b.used {
		return false
	}
	b.used += n
	return true
}

func (b *memoryBudget) release(n uint64) { b.used -= n }

// charge takes bytes, or traps.
func (b *memoryBudget) charge(n uint64, what string) {
	if !b.take(n) {
		b.refuse(n, what)
	}
}

func (b *memoryBudget) refuse(n uint64, what string) {
	trap("%s takes %d bytes: the instance has %d bytes, and its memory limit is %d", what, n, b.used, b.limit)
}

// explain says in a trap that memory was refused before: core code that gets none seldom says so itself.
func (b *memoryBudget) explain(err error) error {
	t, ok := err.(*Trap)
	if !ok || b.refused == 0 {
		return err
	}
	return &Trap{fmt.Sprintf("%s (memory.grow to %d bytes was refused: the instance has %d bytes, and its memory limit is %d)",
		t.Reason, b.refused, b.used, b.limit), t}
}

// Allocate implements [experimental.MemoryAllocator].
func (b *memoryBudget) Allocate(_, _ uint64) experimental.LinearMemory {
	return &linearMemory{budget: b}
}

// linearMemory is a memory of a core instance.
type linearMemory struct {
	budget *memoryBudget
	bytes  []byte
}

// Reallocate implements [experimental.LinearMemory].
func (m *linearMemory) Reallocate(size uint64) []byte {
	more := size - uint64(len(m.bytes))
	if !m.budget.take(more) {
		m.budget.refused = size
		return nil
	}
	m.bytes = append(m.bytes, make([]byte, more)...)
	return m.bytes
}

// Free implements [experimental.LinearMemory].
func (m *linearMemory) Free() {
	m.budget.release(uint64(len(m.bytes)))
	m.bytes = nil
}

// sharedMemories are memories for threads, which must not move when they grow: all that one may grow to is taken at once, at
// most half of what is left.
type sharedMemories struct{ *memoryBudget }

// Allocate implements [experimental.MemoryAllocator].
func (s sharedMemories) Allocate(minimum, maximum uint64) experimental.LinearMemory {
	b := s.memoryBudget
	size := max(minimum, min(maximum, (b.limit-b.used)/2))
	b.charge(size, "a shared memory")
	return &sharedMemory{linearMemory{b, make([]byte, 0, size)}}
}

// sharedMemory is one of them. Its budget has its capacity.
type sharedMemory struct{ linearMemory }

// Reallocate implements [experimental.LinearMemory].
func (m *sharedMemory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.bytes)) {
		m.budget.refused = size
		return nil
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free implements [experimental.LinearMemory].
func (m *sharedMemory) Free() {
	m.budget.release(uint64(cap(m.bytes)))
	m.bytes = nil
}
