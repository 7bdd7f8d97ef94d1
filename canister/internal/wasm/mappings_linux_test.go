package wasm

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPiecesSayWhereEachPageIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const pages = 12
		ps := mappings{{0, 0}}
		var flat [pages]int64
		for p := range flat {
			flat[p] = int64(p) * PageSize
		}
		for range rapid.IntRange(1, 12).Draw(t, "mappings") {
			first := rapid.Int64Range(0, pages-1).Draw(t, "first")
			over := span{first, rapid.Int64Range(first+1, pages).Draw(t, "end")}
			offset := (rapid.Int64Range(0, 1).Draw(t, "extent")*100 + first + rapid.Int64Range(0, 1).Draw(t, "shift")) * PageSize
			ps = ps.put(over, offset, pages)
			for p := over.first; p < over.end; p++ {
				flat[p] = offset + (p-over.first)*PageSize
			}
		}
		want := 0
		for p, at := range flat {
			if got := ps[ps.find(int64(p))].at(int64(p)); got != at {
				t.Fatalf("page %d is mapped from %d, want %d: %v", p, got, at, ps)
			}
			if p == 0 || flat[p-1]+PageSize != at {
				want++
			}
		}
		if len(ps) != want {
			t.Fatalf("%d mappings, want %d: %v", len(ps), want, ps)
		}
	})
}
