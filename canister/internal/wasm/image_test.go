package wasm

import (
	"bytes"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// painter has functions that fill pages of its heap, and a global of every type.
const painter = `(module
	(import "ic0" "note" (func $note (param i64)))
	(memory 16)
	(global $a (mut i32) (i32.const 1))
	(global $still i64 (i64.const 7))
	(global $b (mut i64) (i64.const 2))
	(global $c (mut f32) (f32.const 3))
	(global $d (mut f64) (f64.const 4))
	(global $e (mut v128) (v128.const i64x2 5 6))
	(func (export "canister_update paint")
		(global.set $a (i32.add (global.get $a) (i32.const 1)))
		(global.set $e (v128.const i64x2 8 9))
		(memory.fill (i32.mul (global.get $a) (i32.const 10000)) (global.get $a) (i32.const 30000)))
	(func (export "canister_update grow") (drop (memory.grow (i32.const 3))) (i32.store8 (i32.const 1100000) (i32.const 77)))
	(func (export "canister_update a") (call $note (i64.extend_i32_s (global.get $a))))
	(func (export "canister_update high") (call $note (i64x2.extract_lane 1 (global.get $e))))
	(func (export "canister_update size") (call $note (i64.extend_i32_u (memory.size)))))`

func heapOf(t testing.TB, g *Guest) []byte {
	t.Helper()
	b := make([]byte, g.MemorySize())
	if err := g.ReadHeap(0, b); err != nil {
		t.Fatal(err)
	}
	return b
}

func imageOf(t testing.TB, im *Image) []byte {
	t.Helper()
	b := make([]byte, im.Size())
	if err := im.Read(0, b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAnImageKeepsWhatTheGuestOverwrites(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		code := compiled(t, e, painter)
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		var images []*Image
		var wants [][]byte
		var globals [][]GlobalValue
		for i := range 6 {
			images, wants, globals = append(images, g.Freeze()), append(wants, heapOf(t, g)), append(globals, g.Globals())
			run(t, g, "paint")
			if i == 3 {
				run(t, g, "grow")
			}
			commit(t, g)
			run(t, g, "paint")
			g.Rollback()
		}
		for i, im := range images {
			if !checkpoint.Equal(imageOf(t, im), wants[i]) {
				t.Errorf("image %d is not the heap it was taken of", i)
			}
			restored := e.Restore(code, im, globals[i])
			if got := notes(t, restored, "a"); got != uint64(i+1) {
				t.Errorf("restored from image %d the guest counts %d", i, got)
			}
			if high, want := notes(t, restored, "high"), []uint64{6, 9}[min(i, 1)]; high != want {
				t.Errorf("restored from image %d the high word of the vector is %d, want %d", i, high, want)
			}
			if !checkpoint.Equal(heapOf(t, restored), wants[i]) {
				t.Errorf("restored from image %d the heap is another", i)
			}
			run(t, restored, "paint")
			commit(t, restored)
			if !checkpoint.Equal(imageOf(t, im), wants[i]) {
				t.Errorf("image %d changed with the guest restored from it", i)
			}
			restored.Close()
		}
		g.Close()
		for i := range images {
			if !checkpoint.Equal(imageOf(t, images[len(images)-1-i]), wants[len(images)-1-i]) {
				t.Errorf("image %d changed when its guest was closed", i)
			}
			images[len(images)-1-i].Close()
		}
		if n := e.File().InUse(); n != 0 {
			t.Errorf("%d bytes of the checkpoint file are still in use", n)
		}
	})
}

func TestAnImageOfABigHeapSharesItsPages(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, `(module (memory 1024)
			(func (export "canister_update all") (memory.fill (i32.const 0) (i32.const 1) (i32.const 67108864)))
			(func (export "canister_update some") (memory.fill (i32.const 5000000) (i32.const 2) (i32.const 40960))))`)
		run(t, g, "all")
		commit(t, g)
		before := allocated()
		im := g.Freeze()
		run(t, g, "some")
		if c := commit(t, g); c.DirtyPages != 11 {
			t.Errorf("%d dirty pages, want 11", c.DirtyPages)
		}
		if grown := allocated() - before; kind != HeapCopy && grown > 1<<20 {
			t.Errorf("an image of a heap of 64 MiB takes %d KiB of Go memory", grown>>10)
		}
		if own := g.slot.own; own != 11 || im.Written() != 1024*16 {
			t.Errorf("the image has %d pages and the guest %d of its own, want 16384 and 11", im.Written(), own)
		}
		im.Close()
	})
}

// allocated is all the Go memory there ever was.
func allocated() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}

func TestAnImageIsWrittenLikeAFlatMemory(t *testing.T) {
	e := newTestEngine(t, Config{})
	rapid.Check(t, func(t *rapid.T) {
		const size = 5 * WasmPageSize
		im, err := e.NewImage(size)
		if err != nil {
			t.Fatal(err)
		}
		defer im.Close()
		want := make([]byte, size)
		for range rapid.IntRange(1, 8).Draw(t, "writes") {
			at := rapid.IntRange(0, size).Draw(t, "at")
			run := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.IntRange(0, size-at).Draw(t, "length"))
			if err := im.Write(uint64(at), run); err != nil {
				t.Fatal(err)
			}
			copy(want[at:], run)
		}
		got := make([]byte, size)
		if err := im.Read(0, got); err != nil || !checkpoint.Equal(got, want) {
			t.Fatalf("an image is not what was written to it (%v)", err)
		}
		if im.Write(size-1, []byte{1, 2}) == nil || im.Read(size+1, nil) == nil {
			t.Fatal("a range outside of an image was not refused")
		}
	})
	if n := e.File().InUse(); n != 0 {
		t.Errorf("%d bytes of the checkpoint file are still in use", n)
	}
}
