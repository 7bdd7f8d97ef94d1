package component

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
)

// abi is a side of a call: how an instance passes values, by the options of a canonical definition.
type abi struct {
	instance *instanceState
	memory   api.Memory
	realloc  *coreFunction
	encoding byte
	outside  bool     // the other side is no component
	task     *task    // lowered borrows belong to it
	subtask  *subtask // lifted borrows lend to it
	lifted   uint64   // bytes of Go values so far
}

// charge counts bytes of Go values: lists in memory may overlap, so that their values are larger than it.
func (a *abi) charge(n uint64) {
	a.lifted = add(a.lifted, n)
	if a.lifted > maxLiftedBytes {
		trap("the values of the call take more than the limit of %d bytes", maxLiftedBytes)
	}
}

// bytes gives a part of the memory, which is in bounds. It is valid until core code runs.
func (a *abi) bytes(pointer, n uint32) []byte {
	b, ok := a.memory.Read(pointer, n)
	if !ok {
		trap("out of bounds memory access")
	}
	return b
}

// inBounds says whether n bytes at a pointer are in the memory.
func (a *abi) inBounds(pointer uint32, n uint64) bool {
	return uint64(pointer)+n <= uint64(a.memory.Size())
}

func (a *abi) load(pointer uint32, size uint64) uint64 {
	b := a.bytes(pointer, uint32(size))
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (a *abi) store(pointer uint32, size, v uint64) {
	b := a.bytes(pointer, uint32(size))
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// reallocate calls the component's realloc function and checks the pointer that it gives.
func (a *abi) reallocate(old uint32, oldSize, align, size uint64, what string) uint32 {
	s := a.instance
	h, around := s.host, s.host.current
	s.leaving, s.reallocThread.storage, h.current = false, [contextSlots]uint64{}, &s.reallocThread
	stack := []uint64{uint64(old), oldSize, align, size}
	err := a.realloc.call(h.ctx, stack)
	s.leaving, h.current = true, around
	rethrow(err)
	pointer := uint32(stack[0])
	if uint64(pointer)%align != 0 {
		if a.outside {
			trap("realloc return: result not aligned")
		}
		trap("unaligned pointer")
	}
	if !a.inBounds(pointer, size) {
		if a.outside {
			trap("realloc return: beyond end of memory")
		}
		trap("%s content out-of-bounds", what)
	}
	return pointer
}

func (a *abi) allocate(align, size uint64, what string) uint32 {
	return a.reallocate(0, 0, align, size, what)
}

// checkRange checks a pointer that core code gives.
func (a *abi) checkRange(pointer uint32, align, size uint64, what string) {
	if uint64(pointer)%align != 0 {
		trap("unaligned pointer")
	}
	if a.inBounds(pointer, size) {
		return
	}
	if a.outside {
		trap("%s pointer/length out of bounds of memory", what)
	}
	trap("%s content out-of-bounds", what)
}
