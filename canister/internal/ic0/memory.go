package ic0

import (
	"encoding/binary"

	"github.com/canisterd/canisterd/intercanister/cycles"
)

// heap returns the bytes [src, src+size) of the heap in place, or ends the message; what names the function and the
// parameter in the text.
func (x *Execution) heap(what string, src, size uint64) []byte {
	if view, ok := x.Guest.View(src, size); ok {
		return view
	}
	x.outOfHeap(what, src, size)
	return nil
}

func (x *Execution) outOfHeap(what string, src, size uint64) {
	x.outOfSlice(what, src, size, x.Guest.MemorySize())
}

func (x *Execution) outOfSlice(what string, src, size, have uint64) {
	if src+size < src {
		x.misuse("%s: src=%d + length=%d is an invalid address", what, src, size)
	}
	x.misuse("%s: src=%d + length=%d exceeds the slice size=%d", what, src, size, have)
}

// copyOut copies data[offset, offset+size) to the heap at dst, or ends the message. function is as in
// "ic0.msg_caller_copy", part names the data.
func (x *Execution) copyOut(function, part string, dst, offset, size uint64, data []byte) {
	to, ok := x.Guest.View(dst, size)
	if !ok {
		x.outOfHeap(function+" heap", dst, size)
	}
	if have := uint64(len(data)); offset > have || size > have-offset {
		x.outOfSlice(function+" "+part, offset, size, have)
	}
	copy(to, data[offset:])
}

// copyText is copyOut of a string.
func (x *Execution) copyText(function, part string, dst, offset, size uint64, text string) {
	to, ok := x.Guest.View(dst, size)
	if !ok {
		x.outOfHeap(function+" heap", dst, size)
	}
	if have := uint64(len(text)); offset > have || size > have-offset {
		x.outOfSlice(function+" "+part, offset, size, have)
	}
	copy(to, text[offset:])
}

// putAmount writes an amount in 16 bytes at dst, or ends the message.
func (x *Execution) putAmount(function string, dst uint64, a cycles.Amount) {
	to, ok := x.Guest.View(dst, 16)
	if !ok {
		x.misuse("%s failed because dst + size is out of bounds.Found dst = %d and size = 16 while must be <= %d",
			function, dst, x.Guest.MemorySize())
	}
	binary.LittleEndian.PutUint64(to, a.Lo)
	binary.LittleEndian.PutUint64(to[8:], a.Hi)
}

// narrow returns an amount as 64 bits, or ends the message.
func (x *Execution) narrow(a cycles.Amount) uint64 {
	if a.Hi != 0 {
		x.fail(Trapped(cyclesTooMany))
	}
	return a.Lo
}
