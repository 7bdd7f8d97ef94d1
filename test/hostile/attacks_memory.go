package main

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
)

// memoryText has methods that copy, change and scatter much memory. Its heap is 512 MiB and
// a bit; nothing of it takes space until it is written.
const memoryText = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "trap" (func $trap (param i32 i32)))
	(import "ic0" "stable64_grow" (func $stable_grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $stable_write (param i64 i64 i64)))
	(memory 8193)
	(func $fill (memory.fill (i32.const 0) (i32.const 1) (i32.const 419430400)))
	(func (export "canister_update fill") (loop $again (call $fill) (br $again)))
	(func (export "canister_query fill_asked") (loop $again (call $fill) (br $again)))
	(func (export "canister_update copy")
		(loop $again (memory.copy (i32.const 0) (i32.const 65536) (i32.const 419430400)) (br $again)))
	(func (export "canister_update stable")
		(drop (call $stable_grow (i64.const 3200)))
		(loop $again (call $stable_write (i64.const 0) (i64.const 0) (i64.const 209715200)) (br $again)))
	(func (export "canister_update trap")
		(memory.fill (i32.const 0) (i32.const 1) (i32.const 500000000))
		(call $trap (i32.const 0) (i32.const 4)))
	;; scatter changes a byte of every 16th page, so that runs of pages are as short as can be.
	(func (export "canister_update scatter") (local $at i32)
		(loop $next
			(i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
			(local.set $at (i32.add (local.get $at) (i32.const 65536)))
			(br_if $next (i32.lt_u (local.get $at) (i32.const 536870912))))
		(call $reply))
	(func (export "canister_update scatter_and_trap") (local $at i32)
		(loop $next
			(i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
			(local.set $at (i32.add (local.get $at) (i32.const 8192)))
			(br_if $next (i32.lt_u (local.get $at) (i32.const 536870912))))
		(unreachable)))`

// memoryAttacks change much memory in few instructions, and run out of it.
func memoryAttacks() []attack {
	return []attack{
		dirtying("bulk-fill", "memory.fill of 400 MB without end; one instruction that takes long", asyncCall, "fill", 1),
		dirtying("bulk-fill-query", "the same in a query", query, "fill_asked", 1),
		dirtying("bulk-copy", "memory.copy of 400 MB without end", asyncCall, "copy", 1),
		dirtying("stable-write", "stable64_write of 200 MB without end", asyncCall, "stable", 1),
		dirtying("dirty-and-trap", "updates that change 500 MB and trap; rolling back", syncCall, "trap", 1),
		dirtying("scatter", "updates that change 8,192 single pages; committing", syncCall, "scatter", 2),
		dirtying("scatter-and-trap", "updates that change 65,536 single pages and trap; rolling back", syncCall, "scatter_and_trap", 1),
		fullDisk(),
	}
}

func dirtying(name, why, path, method string, inFlight int) attack {
	var canisters []principal.Principal
	return attack{
		name: name, why: why, limits: standard,
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, memoryText, 1)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			pause := 10 * time.Millisecond
			if path == asyncCall {
				pause = time.Second
			}
			s.keep(ctx, inFlight, pause, func(ctx context.Context, _ int) error {
				return s.call(ctx, path, canisters[0], method, nil)
			})
		},
	}
}

// diskBytes is the size at which the file with the heaps counts as a full disk: it holds
// what the innocent canister has.
const diskBytes = 16 << 20

// fullDisk keeps heaps in a file that can no longer grow.
func fullDisk() attack {
	var canisters []principal.Principal
	return attack{
		name: "full-disk", limits: fullDiskLimits, launch: launch{disk: true},
		why: "updates that need more memory than the file of heaps may have; errors of writing",
		prepare: func(ctx context.Context, s *stage) (err error) {
			canisters, err = s.deploy(ctx, memoryText, 2)
			return err
		},
		run: func(ctx context.Context, s *stage) {
			if err := limitFileSize(s.process.cmd.Process.Pid, diskBytes); err != nil {
				return
			}
			s.keep(ctx, 2, 10*time.Millisecond, func(ctx context.Context, worker int) error {
				return s.call(ctx, syncCall, canisters[worker], "scatter", nil)
			})
		},
	}
}
