package component

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// Bytes that are counted for what a host and its engine keep, beside the memories and tables themselves. They are estimates
// from above: the test of memory limits compares them with the heap.
const (
	instanceBytes   = 8 << 10  // of a component or core module
	sectionCost     = 48       // for each byte of the sections with what each instance has of its own
	segmentCost     = 32       // of a data segment
	elementBytes    = 8        // of a table
	definitionBytes = 512      // of a definition of a component, for each instance
	itemBytes       = 256      // of an argument of an instantiation, or of an export of an instance
	completionBytes = 512      // of a call of the host that finishes later
	handleBytes     = 256      // of a handle or thread, with the subtask and task, or the end, that it stands for
	coroutineBytes  = 64 << 10 // of a stack of core code that is blocked
	pageBytes       = 64 << 10 // specification
)

// footprint is what an instance of a core module takes when it is made.
type footprint struct {
	host   uint64 // bytes, without its memory
	memory uint64 // bytes of its memory, at least
	shared bool   // the memory is for threads
	owner  bool   // it defines a memory
}

// measureCore measures a module for the engine, which has valid code.
func measureCore(module []byte) footprint {
	f := footprint{host: instanceBytes}
	r := &reader{data: module, end: len(module), read: &quota{}}
	for code, s := range r.coreSections() { // in any order: the numbers are sums
		switch code {
		case 2, 6, 9, 13: // imports, globals, elements, tags
			f.host += sectionCost * uint64(s.end-s.pos)
		case 4:
			f.host += sectionCost * uint64(s.end-s.pos)
			for range s.u32() {
				t, _, _ := s.table()
				f.host += elementBytes * t.limits.max
			}
		case 5:
			if s.u32() > 0 {
				l := s.limits()
				f.owner, f.memory, f.shared = true, pageBytes*l.min, l.shared
			}
		case 11:
			f.host += segmentCost * uint64(s.u32())
		}
	}
	return f
}

// admit counts an instance of a core module, and gives the context to make it in.
func (b *memoryBudget) admit(ctx context.Context, f footprint, module uint32) context.Context {
	if !b.take(f.host) {
		b.refuse(f.host, fmt.Sprintf("an instance of core module %d", module))
	}
	if f.memory > b.limit-b.used {
		b.refuse(f.memory, fmt.Sprintf("the smallest size of the memory of core module %d", module))
	}
	switch {
	case f.shared:
		return experimental.WithMemoryAllocator(ctx, sharedMemories{b})
	case f.owner:
		return experimental.WithMemoryAllocator(ctx, b)
	}
	return ctx
}
