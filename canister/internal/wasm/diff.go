package wasm

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// Differing returns how many pages of the committed heaps of two guests differ. Pages that both have in one place are
// not read. The error comes from the checkpoint file.
func (g *Guest) Differing(o *Guest) (pages uint64, err error) {
	a, b := g.slot, o.slot
	if a == b {
		return 0, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	a.mustPersist()
	b.mustPersist()
	if a.base == b.base && a.own == 0 && b.own == 0 {
		return 0, nil
	}
	var one, two [PageSize]byte
	for page := range max(a.size, b.size) / PageSize {
		x, y := a.holder(page), b.holder(page)
		if x == y || x != nil && y != nil && a.file == b.file && x.offset(page) == y.offset(page) {
			continue
		}
		differ, err := differs(&a.store, &b.store, page, &one, &two)
		if err != nil {
			return pages, fmt.Errorf("compare page %d of two heaps: %w", page, err)
		}
		if differ {
			pages++
		}
	}
	return pages, nil
}

func (s *store) offset(page int64) int64 {
	offset, _ := s.locate(page)
	return offset
}

func differs(a, b *store, page int64, one, two *[PageSize]byte) (bool, error) {
	x, err := a.page(page, one)
	if err != nil {
		return false, err
	}
	y, err := b.page(page, two)
	if err != nil {
		return false, err
	}
	var zeros [PageSize]byte
	if x == nil {
		x = zeros[:]
	}
	if y == nil {
		y = zeros[:]
	}
	return !checkpoint.Equal(x, y), nil
}
