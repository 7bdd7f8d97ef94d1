package wasm

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestAMemoryBombLeavesNothingBehind(t *testing.T) {
	e := newTestEngine(t, Config{})
	g := newTestGuest(t, e, `(module (memory 1)
		(func (export "canister_update bomb") (drop (memory.grow (i32.const 2000)))
			(memory.fill (i32.const 0) (i32.const 1) (i32.const 130000000)) (unreachable))
		(func (export "canister_update look") (local $i i32) (drop (memory.grow (i32.const 2000)))
			(loop (drop (i32.load (local.get $i)))
				(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4096))) (i32.const 130000000)))))
		(func (export "canister_update fine")))`)
	for _, name := range []string{"bomb", "look", "bomb"} {
		_ = g.Run(method(name), nil, plenty)
		g.Rollback()
		run(t, g, "fine")
		commit(t, g)
	}
	var s unix.Stat_t
	if err := unix.Fstat(e.File().Descriptor(), &s); err != nil {
		t.Fatal(err)
	}
	if used := s.Blocks * 512; used > 1<<20 {
		t.Errorf("%d KiB of the checkpoint file are used", used>>10)
	}
}
