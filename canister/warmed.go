package canister

import (
	"sync/atomic"
	"unsafe"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
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

// add returns the hash of a module that is about to be installed.
func (w *warmed) add(uploaded []byte) [32]byte {
	hash := rewrite.Hash(uploaded)
	w.last.Store(&hashedModule{uploaded, hash})
	return hash
}

// take returns the hash of a module, and forgets it.
func (w *warmed) take(uploaded []byte) [32]byte {
	h := w.last.Load()
	if h == nil || !h.isOf(uploaded) {
		return rewrite.Hash(uploaded)
	}
	w.last.CompareAndSwap(h, nil)
	return h.hash
}
