package wasm

import (
	"bytes"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/test/canistertest/disk"
)

// A file that takes no more bytes is an error of the commit, never a fault in compiled code, and the message can be
// rolled back. The limit on the size of files stands for a full disk.
func TestAFullDiskIsAnErrorOfTheCommit(t *testing.T) {
	for _, kind := range HeapKinds() {
		e := newTestEngine(t, Config{Heaps: kind, HeapDir: t.TempDir()})
		g := newTestGuest(t, e, `(module (import "ic0" "note" (func $note (param i64))) (memory 64)
			(func (export "canister_update small") (i32.store (i32.const 0) (i32.const 7)))
			(func (export "canister_update big") (memory.fill (i32.const 0) (i32.const 5) (i32.const 4000000)))
			(func (export "canister_update look") (call $note (i64.load32_u (i32.const 0)))))`)
		run(t, g, "small")
		commit(t, g)
		for range 3 {
			run(t, g, "big")
			disk.Full(t, 2<<20, func() {
				if _, err := g.Commit(); !errors.Is(err, checkpoint.ErrFull) {
					t.Fatalf("%s: commit of 4 MB to a file of at most 2 MiB: %v", kind, err)
				}
			})
			g.Rollback()
			if got := notes(t, g, "look"); got != 7 {
				t.Errorf("%s: after rollback the heap has %d", kind, got)
			}
			g.Rollback()
		}
		run(t, g, "big")
		commit(t, g)
	}
}

// A commit that finds room for some of its pages gives that back when it fails for the others.
func TestACommitThatFailsTakesNoRoom(t *testing.T) {
	e := newTestEngine(t, Config{HeapDir: t.TempDir()})
	g := newTestGuest(t, e, `(module (memory 64)
		(func (export "canister_update small") (i32.store (i32.const 0) (i32.const 7)))
		(func (export "canister_update big")
			(memory.fill (i32.const 0x8000) (i32.const 5) (i32.const 0x100000))
			(memory.fill (i32.const 0x300000) (i32.const 5) (i32.const 0x100000))))`)
	run(t, g, "small")
	commit(t, g)
	before := takenBy(t, e.file)
	run(t, g, "big")
	disk.Full(t, 2<<20, func() {
		if _, err := g.Commit(); !errors.Is(err, checkpoint.ErrFull) {
			t.Fatalf("commit to a file of at most 2 MiB: %v", err)
		}
	})
	g.Rollback()
	if after := takenBy(t, e.file); after > before {
		t.Errorf("the file took %d bytes before a commit that failed, and %d after it", before, after)
	}
}

func takenBy(t *testing.T, file *checkpoint.File) int64 {
	t.Helper()
	var s unix.Stat_t
	if err := unix.Fstat(file.Descriptor(), &s); err != nil {
		t.Fatal(err)
	}
	return s.Blocks * 512
}

// A fork that finds no room for what it writes is as it was, and so is its source. What a commit puts in order after
// its own work may find no room either: that is put off.
func TestAFullDiskLeavesForksAsTheyWere(t *testing.T) {
	for _, kind := range HeapKinds() {
		e := newTestEngine(t, Config{Heaps: kind, HeapDir: t.TempDir()})
		g := newTestGuest(t, e, `(module (memory 64) (global $v (mut i32) (i32.const 1))
			(func (export "canister_update all") (memory.fill (i32.const 0) (i32.const 1) (i32.const 4194304)))
			(func (export "canister_update most") (memory.fill (i32.const 0) (i32.const 2) (i32.const 2457600)))
			(func (export "canister_update last") (memory.fill (i32.const 4128768) (i32.const 3) (i32.const 65536)))
			(func (export "canister_update first") (i32.store8 (i32.const 0) (i32.const 4))))`)
		run(t, g, "all")
		commit(t, g)
		was := heapOf(t, g)
		f := forkOf(g)
		same := func(what string, g *Guest, want []byte) {
			t.Helper()
			if !bytes.Equal(heapOf(t, g), want) {
				t.Errorf("%s: the heap of %s is not what was committed to it", kind, what)
			}
		}
		disk.Full(t, 7<<20, func() {
			run(t, f, "last")
			if _, err := f.Commit(); !errors.Is(err, checkpoint.ErrFull) {
				t.Fatalf("%s: commit past the limit of the file: %v", kind, err)
			}
			f.Rollback()
			same("a fork without room", f, was)
			f.begin()
			same("a fork without room, resident", f, was)
			f.Rollback()
			if kind != HeapCopy && f.slot.own != 0 {
				t.Errorf("%s: a commit that failed left %d pages", kind, f.slot.own)
			}
			run(t, f, "most") // there is room for it, and none for the rest of the layer
			commit(t, f)
		})
		want := append(bytes.Repeat([]byte{2}, 2457600), was[2457600:]...)
		same("a fork", f, want)
		if f.slot.base == nil {
			t.Fatalf("%s: the fork left its layer, there should be no room for that", kind)
		}
		run(t, f, "first")
		commit(t, f)
		want[0] = 4
		same("a fork that found room", f, want)
		f.begin()
		same("a fork that found room, resident", f, want)
		f.Rollback()
		if f.slot.base != nil {
			t.Errorf("%s: the fork has not left its layer", kind)
		}
		same("the source", g, was)
		f.Close()
		run(t, g, "last")
		commit(t, g)
		if g.slot.base != nil {
			t.Errorf("%s: the source has not taken back its layer", kind)
		}
		same("the source alone", g, append(was[:4128768:4128768], bytes.Repeat([]byte{3}, 65536)...))
	}
}

// A commit that fails gives scattered pages back together: each time that takes may be as long as the disk likes.
func TestACommitThatFailsGivesScatteredPagesBackTogether(t *testing.T) {
	e := newTestEngine(t, Config{HeapDir: t.TempDir()})
	g := newTestGuest(t, e, `(module (memory 64)
		(func (export "canister_update keep") (i32.store (i32.const 0x100000) (i32.const 7)))
		(func (export "canister_update scatter") (local $at i32)
			(loop $next
				(i32.store (local.get $at) (i32.const 5))
				(br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 0x4000))) (i32.const 0x400000))))))`)
	run(t, g, "keep")
	commit(t, g)
	before := takenBy(t, e.file)
	run(t, g, "scatter")
	disk.Full(t, 2<<20, func() {
		if _, err := g.Commit(); !errors.Is(err, checkpoint.ErrFull) {
			t.Fatalf("commit to a file of at most 2 MiB: %v", err)
		}
	})
	punched := 0
	g.slot.eachAbsentRange([]span{{0, 1}, {4, 5}, {252, 253}, {256, 257}, {260, 264}}, func(offset, size int64) { punched++ })
	if punched != 2 {
		t.Errorf("five runs of pages around one that is present are given back in %d ranges, want 2", punched)
	}
	g.Rollback()
	// The file system may keep a block of its own, for the list of the ranges there were.
	if after := takenBy(t, e.file); after > before+PageSize {
		t.Errorf("the file took %d bytes before a commit that failed, and %d after it", before, after)
	}
	memory := make([]byte, 0x400000)
	if err := g.ReadHeap(0, memory); err != nil {
		t.Fatal(err)
	}
	if memory[0x100000] != 7 || bytes.IndexByte(memory[0x100001:], 5) >= 0 || bytes.IndexByte(memory[:0x100000], 5) >= 0 {
		t.Error("the heap is not what it was before the commit that failed")
	}
}
