package wasm

import "bytes"

// heldPages is the saved content of a mapped heap. Guarded by the slot's lock.
type heldPages struct {
	active bool
	size   int64
	// private are the pages that were private at hold. All others were committed; overwritten are the committed pages
	// that a commit has overwritten since. nil stands for zeros.
	private, overwritten map[int64][]byte
}

func (h *mappedHeap) hold() error {
	if err := h.list(); err != nil {
		return err
	}
	p := heldPages{active: true, size: int64(len(h.memory)), private: make(map[int64][]byte, countPages(h.private))}
	for _, s := range h.private {
		for n := s.first; n < s.end; n++ {
			p.private[n] = bytes.Clone(h.page(n))
		}
	}
	h.held = p
	return nil
}

// keep copies committed pages that are about to be overwritten. A page that cannot be read cannot be mapped either: it
// is skipped.
func (h *mappedHeap) keep(pages span) {
	p := &h.held
	for n := pages.first; n < min(pages.end, p.size/PageSize); n++ {
		if _, private := p.private[n]; private {
			continue
		}
		if _, kept := p.overwritten[n]; kept {
			continue
		}
		var buf [PageSize]byte
		content, err := h.slot.page(n, &buf)
		if err != nil {
			continue
		}
		if p.overwritten == nil {
			p.overwritten = make(map[int64][]byte)
		}
		p.overwritten[n] = bytes.Clone(content)
	}
}

func (h *mappedHeap) revert() error {
	h.unknown = true
	if err := h.list(); err != nil {
		return err
	}
	for _, s := range h.private {
		for n := s.first; n < s.end; n++ {
			content, err := h.heldPage(n)
			if err != nil {
				return err
			}
			fillPage(h.page(n), content)
		}
	}
	return nil
}

// heldPage returns the content of a page when the heap was held.
func (h *mappedHeap) heldPage(n int64) ([]byte, error) {
	p := &h.held
	if n >= p.size/PageSize {
		return nil, nil
	}
	if content, ok := p.private[n]; ok {
		return content, nil
	}
	if content, ok := p.overwritten[n]; ok {
		return content, nil
	}
	return h.slot.page(n, &h.content)
}

func (h *mappedHeap) release() { h.held = heldPages{} }
