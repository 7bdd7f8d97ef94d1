package wasm

import (
	"slices"
	"testing"
)

// A message writes a byte of each page. Some pages stay private after the first message, which
// must not change where the next one pauses.
func TestAMessageThatChangesManyPagesPausesAtTheSamePlacesOnEveryHeap(t *testing.T) {
	const module = `(module (memory 64)
		(func $write (param $value i32) (local $at i32)
			(loop (i32.store8 (local.get $at) (local.get $value))
				(br_if 0 (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4096))) (i32.const 4194304)))))
		(func (export "canister_update zeros") (call $write (i32.const 0)))
		(func (export "canister_update ones") (call $write (i32.const 1)))
		(func (export "canister_update twos") (call $write (i32.const 2))))`
	var want []uint64
	for _, kind := range HeapKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), module)
		paused := func(export string) (at []uint64, scattered bool) {
			t.Helper()
			budget := Budget{Limit: 1 << 40, Slice: 1 << 20, ScatteredPages: 100, ScatteredSlice: 1_000, Pause: func(progress uint64) { at = append(at, progress) }}
			if err := g.Run(Entry{Export: "canister_update " + export}, nil, budget); err != nil {
				t.Fatal(err)
			}
			return at, g.Scattered()
		}
		if at, scattered := paused("zeros"); scattered || len(at) != 0 {
			t.Errorf("%s: writing the bytes that are there makes a message a scattered one, with pauses at %d", kind, at)
		}
		g.Rollback()
		for _, export := range []string{"ones", "twos", "ones"} {
			at, scattered := paused(export)
			if want == nil {
				want = at
			}
			if !scattered || len(at) < 5 || !slices.Equal(at, want) {
				t.Errorf("%s: %s pauses at %d, want %d", kind, export, at, want)
			}
			if export == "twos" {
				commit(t, g)
			} else {
				g.Rollback()
			}
		}
	}
}
