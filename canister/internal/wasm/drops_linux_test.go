package wasm

import (
	"encoding/binary"
	"testing"
)

func TestPagesAreDroppedTogetherAndOneByOne(t *testing.T) {
	const pages, stride = 100, 64 * PageSize
	for name, change := range map[string]func(*heapSpace){
		"as the kernel can": func(*heapSpace) {},
		"one by one":        func(hs *heapSpace) { hs.process = nil },
		"refused": func(hs *heapSpace) {
			if hs.process != nil {
				_ = hs.process.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newTestEngine(t, Config{Heaps: HeapAuto})
			change(e.heaps)
			g := newTestGuest(t, e, `(module (memory 410) (global $n (mut i32) (i32.const 0))
				(func (export "canister_update touch") (local $i i32)
					(global.set $n (i32.add (global.get $n) (i32.const 1)))
					(loop
						(i32.store (i32.mul (local.get $i) (i32.const 262144)) (global.get $n))
						(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 100))))))`)
			have := func(want uint32) {
				t.Helper()
				for i := range uint64(pages) {
					content, ok := g.View(i*stride, 4)
					if !ok || binary.LittleEndian.Uint32(content) != want {
						t.Fatalf("page %d has %v, want %d", i, content, want)
					}
				}
				g.Rollback()
			}
			for n := range uint32(4) {
				run(t, g, "touch")
				g.Rollback()
				have(n)
				run(t, g, "touch")
				commit(t, g)
				have(n + 1)
			}
		})
	}
}
