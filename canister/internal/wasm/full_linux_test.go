package wasm

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/canister/internal/wasm/checkpoint"
)

// A full disk is an error of the commit, never a fault in compiled code, and the message can be rolled back. The disk is a small file
// system of its own where the test may mount one; elsewhere there is nothing to fill.
func TestAFullDiskIsAnErrorOfTheCommit(t *testing.T) {
	dir := t.TempDir()
	if unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m") != nil {
		return
	}
	e := newTestEngine(t, Config{HeapDir: dir})
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	g := newTestGuest(t, e, `(module (import "ic0" "note" (func $note (param i64))) (memory 64)
		(func (export "canister_update small") (i32.store (i32.const 0) (i32.const 7)))
		(func (export "canister_update big") (memory.fill (i32.const 0) (i32.const 5) (i32.const 4000000)))
		(func (export "canister_update look") (call $note (i64.load32_u (i32.const 0)))))`)
	run(t, g, "small")
	commit(t, g)
	for range 3 {
		run(t, g, "big")
		if _, err := g.Commit(); !errors.Is(err, checkpoint.ErrFull) {
			t.Fatalf("commit of 4 MB to a disk of 2 MiB: %v", err)
		}
		g.Rollback()
		if got := notes(t, g, "look"); got != 7 {
			t.Errorf("after rollback the heap has %d", got)
		}
		g.Rollback()
	}
}
