package intercanister

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// Slabs and their forks, used and unused, have what maps that are copied have.
func TestSlabsThatForkAgreeWithMapsThatAreCopied(t *testing.T) {
	type both struct {
		slab  *slab[int]
		model map[uint64]int
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []both{{new(slab[int]), make(map[uint64]int)}}
		for id := range rapid.Uint64Range(1, 100).Draw(t, "operations") {
			at := all[rapid.IntRange(0, len(all)-1).Draw(t, "slab")]
			id++
			known := rapid.Uint64Range(1, id).Draw(t, "known")
			switch rapid.IntRange(0, 4).Draw(t, "operation") {
			case 0, 1:
				*at.slab.add(id) = int(id)
				at.model[id] = int(id)
			case 2:
				if value := at.slab.get(known); value != nil {
					*value = -int(id)
					at.model[known] = -int(id)
				}
			case 3:
				if _, ok := at.model[known]; ok {
					at.slab.remove(known)
					delete(at.model, known)
				}
			case 4:
				if len(all) < 6 {
					f := at.slab.fork()
					all = append(all, both{&f, maps.Clone(at.model)})
				}
			}
			for i, b := range all {
				got := make(map[uint64]int)
				b.slab.each(func(id uint64, value *int) { got[id] = *value })
				if !maps.Equal(got, b.model) {
					t.Fatalf("slab %d has %v, want %v", i, got, b.model)
				}
			}
		}
	})
}
