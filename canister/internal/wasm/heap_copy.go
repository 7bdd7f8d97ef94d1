package wasm

import "github.com/canisterd/canisterd/canister/internal/checkpoint"

// copyHeap is the portable heap: a plain copy of the committed bytes, and a second copy for comparison. Every operation
// costs the size of the heap.
type copyHeap struct {
	slot   *slot
	memory []byte
	shadow []byte // the committed bytes this heap started from; shorter than memory after growing
	held   []byte // the bytes at hold
}

func newCopyHeap(s *slot, size int64) (*copyHeap, error) {
	h := &copyHeap{slot: s, memory: make([]byte, size), shadow: make([]byte, size)}
	return h, h.load()
}

// cloneInto returns a copy of src, in dst if it fits.
func cloneInto(dst, src []byte) []byte {
	if cap(dst) < len(src) {
		dst = make([]byte, len(src))
	}
	dst = dst[:len(src)]
	checkpoint.Copy(dst, src)
	return dst
}

func (h *copyHeap) bytes() []byte { return h.memory }

func (h *copyHeap) grow(size int64) error {
	if size > int64(cap(h.memory)) {
		grown := make([]byte, size, min(size+size/4, 65536*WasmPageSize))
		checkpoint.Copy(grown, h.memory)
		h.memory = grown
		return nil
	}
	h.memory = h.memory[:size]
	return nil
}

func (h *copyHeap) load() error {
	known := min(h.slot.size, int64(len(h.memory)))
	if err := h.slot.read(h.memory[:known], 0); err != nil {
		return err
	}
	checkpoint.Clear(h.memory[known:])
	h.shadow = cloneInto(h.shadow, h.memory)
	return nil
}

func (h *copyHeap) changed(spans []span) ([]span, error) {
	for at := 0; at < len(h.memory); at += PageSize {
		content := zeroPage[:]
		if at < len(h.shadow) {
			content = h.shadow[at : at+PageSize]
		}
		if !samePage(h.memory[at:at+PageSize], content) {
			spans = appendPage(spans, int64(at/PageSize))
		}
	}
	return spans, nil
}

func (h *copyHeap) changedMany(pages int) (bool, error) {
	changed, err := h.changed(nil)
	return countPages(changed) >= pages, err
}

func (h *copyHeap) written(span) {}

func (h *copyHeap) committed(changed []span) error {
	if grown := len(h.memory) - len(h.shadow); grown > 0 {
		h.shadow = append(h.shadow, make([]byte, grown)...)
	}
	for _, c := range changed {
		checkpoint.Copy(h.shadow[c.first*PageSize:c.end*PageSize], h.memory[c.first*PageSize:])
	}
	return nil
}

func (h *copyHeap) restore(changed []span, compared bool) error {
	if !compared {
		checkpoint.Copy(h.memory, h.shadow)
		return nil
	}
	for _, c := range changed {
		checkpoint.Copy(h.memory[c.first*PageSize:c.end*PageSize], h.shadow[c.first*PageSize:])
	}
	return nil
}

func (h *copyHeap) preserve(span) {}

func (h *copyHeap) hold() error {
	h.held = cloneInto(h.held, h.memory)
	return nil
}

func (h *copyHeap) revert() error {
	checkpoint.Clear(h.memory[checkpoint.Copy(h.memory, h.held):])
	return nil
}

func (h *copyHeap) moveTo(s *slot, _ []int64) error {
	h.slot = s
	return h.load()
}

func (h *copyHeap) remap() error { return nil }

func (h *copyHeap) release() { h.held = nil }

func (h *copyHeap) free() error {
	h.memory, h.shadow, h.held = nil, nil, nil
	return nil
}

func (h *copyHeap) watch()   {}
func (h *copyHeap) unwatch() {}
func (h *copyHeap) lost()    {}

func (h *copyHeap) faulted() int64 { return 0 }
