package canister

import (
	"sync/atomic"
	"unsafe"
)

// warmed is the module that was warmed last, and its hash. It is about to be installed from the same memory, which is
// read-only: then it is not hashed again.
type warmed struct {
	last atomic.Pointer[hashedModule]
}

type hashedModule struct {
	uploaded []byte
	hash     [32]byte
}

// isOf reports whether a module is the same memory.
func (h *hashedModule) isOf(uploaded []byte) bool {
	return len(h.uploaded) == len(uploaded) && unsafe.SliceData(h.uploaded) == unsafe.SliceData(uploaded)
}

// put keeps the hash of a module that is about to be installed.
func (w *warmed) put(uploaded []byte, hash [32]byte) { w.last.Store(&hashedModule{uploaded, hash}) }

// take returns the hash of a module, if it is the one kept, and forgets it.
func (w *warmed) take(uploaded []byte) (hash [32]byte, ok bool) {
	h := w.last.Load()
	if h == nil || !h.isOf(uploaded) {
		return hash, false
	}
	w.last.CompareAndSwap(h, nil)
	return h.hash, true
}
