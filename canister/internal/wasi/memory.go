package wasi

import "encoding/binary"

// view returns the size bytes at ptr in place.
func (c *call) view(ptr, size uint64) ([]byte, errno) {
	if view, ok := c.Guest.View(ptr, size); ok {
		return view, success
	}
	return nil, fault
}

// put32 writes a number of 32 bits at ptr.
func (c *call) put32(ptr uint64, n uint32) errno {
	to, bad := c.view(ptr, 4)
	if bad == success {
		binary.LittleEndian.PutUint32(to, n)
	}
	return bad
}

// put64 writes a number of 64 bits at ptr.
func (c *call) put64(ptr, n uint64) errno {
	to, bad := c.view(ptr, 8)
	if bad == success {
		binary.LittleEndian.PutUint64(to, n)
	}
	return bad
}

// vector is a buffer of a read or a write.
type vector struct{ ptr, size uint64 }

// vectors reads a list of count buffers at ptr: 8 bytes each, a pointer and a size. All of them are in bounds.
func (c *call) vectors(ptr, count uint64) ([]vector, errno) {
	if count > maxVectors {
		return nil, invalid
	}
	list, bad := c.view(ptr, 8*count)
	if bad != success {
		return nil, bad
	}
	all := make([]vector, count)
	for i := range all {
		at := list[8*i:]
		all[i] = vector{uint64(binary.LittleEndian.Uint32(at)), uint64(binary.LittleEndian.Uint32(at[4:]))}
		if _, bad := c.view(all[i].ptr, all[i].size); bad != success {
			return nil, bad
		}
	}
	return all, success
}
