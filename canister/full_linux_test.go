package canister_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/disk"
)

// greedy has functions that change both memories and need more room than there is: for the heap, for what
// stable memory a message commits, or in the middle of the message. The first three elements of its table
// are those, the fourth needs little.
const greedy = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
	(memory 1)
	(table funcref (elem $heap $stable $spill $little))
	(func $set (param i32)
		(i32.store (i32.const 0) (local.get 0)) (call $write (i64.const 0) (i64.const 0) (i64.const 4)))
	(func $room (if (i64.eqz (call $grow (i64.const 0))) (then (drop (call $grow (i64.const 64))))))
	(func $heap (param i32) (call $room)
		(call $set (i32.const 0x70616568))
		(memory.fill (i32.mul (i32.const 65536) (memory.grow (i32.const 64))) (i32.const 88) (i32.const 4000000)))
	(func $stable (param i32) (call $room)
		(call $set (i32.const 0x62617473))
		(call $write (i64.const 100) (i64.const 100) (i64.const 60000))
		(call $write (i64.const 70000) (i64.const 100) (i64.const 60000))
		(call $write (i64.const 140000) (i64.const 100) (i64.const 60000))
		(call $write (i64.const 210000) (i64.const 100) (i64.const 60000))
		(call $write (i64.const 280000) (i64.const 100) (i64.const 60000)))
	(func $spill (param i32) (local $at i64) (call $room)
		(call $set (i32.const 0x6c697073))
		(local.set $at (i64.const 100))
		(loop $more
			(call $write (local.get $at) (i64.const 100) (i64.const 60000))
			(br_if $more (i64.lt_u (local.tee $at (i64.add (local.get $at) (i64.const 60000))) (i64.const 4000000)))))
	(func $little (param i32) (call $room) (call $set (i32.const 0x656e6f64)))
	(func (export "canister_update heap") (call $heap (i32.const 0)) (call $reply))
	(func (export "canister_update stable") (call $stable (i32.const 0)) (call $reply))
	(func (export "canister_update spill") (call $spill (i32.const 0)) (call $reply))
	(func (export "canister_update little") (call $little (i32.const 0)) (call $reply))
	(func (export "canister_update look")
		(call $read (i64.const 100) (i64.const 0) (i64.const 4))
		(call $append (i32.const 0) (i32.const 4)) (call $append (i32.const 100) (i32.const 4)) (call $reply))
	;; more
)`

// room is the size of file that holds the small canister and not the big ones. It stands for a full disk.
const room = 256 << 10

// fullDisk is a place, and its greedy canister whose memories say "done".
func fullDisk(t *testing.T, more string) (*canistertest.Place, *canister.Canister) {
	t.Helper()
	p := canistertest.NewDiskPlace(t)
	c := p.Canister(p.Wat(strings.Replace(greedy, ";; more", more, 1)), nil)
	reply(t, p.Update(c, "little", nil))
	holds(t, p, c, "donedone")
	return p, c
}

func holds(t *testing.T, p *canistertest.Place, c *canister.Canister, want string) {
	t.Helper()
	if got := string(reply(t, p.Update(c, "look", nil))); got != want {
		t.Errorf("heap and stable memory hold %q, want %q", got, want)
	}
}

// noRoom checks that a message failed for want of room, with a text that helps.
func noRoom(t *testing.T, out canister.Outcome) {
	t.Helper()
	f := out.Failure
	if f == nil || f.Error != intercanister.CanisterWasmEngineError {
		t.Fatalf("without room the outcome is %v", f)
	}
	folder := filepath.Dir(t.TempDir()) // of all folders of the test
	for _, want := range []string{"the checkpoint file is full: no room for ", " bytes in " + folder, "; free space on the disk of this folder and try again: file too large"} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("the reject %q lacks %q", f.Text, want)
		}
	}
	if strings.Contains(f.Text, "\n") {
		t.Errorf("the reject %q has several lines", f.Text)
	}
}

var greeds = []string{"heap", "stable", "spill"}

func TestAFullDiskFailsTheMessageAndUndoesBothMemories(t *testing.T) {
	for _, greed := range greeds {
		t.Run(greed, func(t *testing.T) {
			p, c := fullDisk(t, "")
			for range 3 {
				disk.Full(t, room, func() { noRoom(t, p.Update(c, greed, nil)) })
				holds(t, p, c, "donedone")
			}
			disk.Full(t, room, func() { reply(t, p.Update(c, "little", nil)) })
			reply(t, p.Update(c, greed, nil))
			holds(t, p, c, greed[:4]+greed[:4])
		})
	}
}

func TestACallbackThatFindsTheDiskFullIsCleanedUp(t *testing.T) {
	for i, greed := range greeds {
		t.Run(greed, func(t *testing.T) {
			p, c := fullDisk(t, "")
			m := canister.Message{Context: canister.ReplyCallback, Caller: canistertest.User}
			m.Closure.Fn = uint32(i)
			var out canister.Outcome
			disk.Full(t, room, func() { out = c.Execute(&p.Subnet, &m) })
			noRoom(t, out)
			holds(t, p, c, "donedone")

			cleanup := m.Closure
			cleanup.Fn = uint32(len(greeds))
			m.Cleanup = &cleanup
			disk.Full(t, room, func() { out = c.Execute(&p.Subnet, &m) })
			noRoom(t, out)
			if !out.Cleaned {
				t.Error("the cleanup closure did not run")
			}
			holds(t, p, c, "donedone")

			m.Cleanup = &m.Closure
			disk.Full(t, room, func() { out = c.Execute(&p.Subnet, &m) })
			if out.Failure == nil || !strings.Contains(out.Failure.Text, "call_on_cleanup also failed") {
				t.Errorf("without room for the cleanup the outcome is %v", out.Failure)
			}
			holds(t, p, c, "donedone")
		})
	}
}

func TestAFullDiskFailsTheInstallationAndLeavesTheCanisterAsItWas(t *testing.T) {
	for _, greed := range greeds {
		t.Run(greed, func(t *testing.T) {
			call := func(export string) string {
				return `(func (export "` + export + `") (call $` + greed + ` (i32.const 0)))`
			}
			p, c := fullDisk(t, call("canister_pre_upgrade"))
			module := func(entry string) *canister.Module { return p.Wat(strings.Replace(greedy, ";; more", call(entry), 1)) }
			plain := p.Wat(greedy)
			attempt := func(c *canister.Canister, in canister.Install) {
				t.Helper()
				disk.Full(t, room, func() { noRoom(t, install(p, c, in)) })
			}
			fresh := p.Empty()
			attempt(fresh, canister.Install{Mode: canister.InstallFresh, Module: module("canister_init")})
			if fresh.Module() != nil {
				t.Error("an installation that failed left a module")
			}
			attempt(c, canister.Install{Mode: canister.Reinstall, Module: module("canister_init")})
			holds(t, p, c, "donedone")
			attempt(c, canister.Install{Mode: canister.Upgrade, SkipPreUpgrade: true, Module: module("canister_post_upgrade")})
			holds(t, p, c, "donedone")
			if greed != "heap" { // what pre_upgrade does to the heap is forgotten in any case
				attempt(c, canister.Install{Mode: canister.Upgrade, Module: plain})
				holds(t, p, c, "donedone")
			}
			if out := install(p, c, canister.Install{Mode: canister.Upgrade, Module: plain}); out.Failure != nil {
				t.Errorf("with room the upgrade gives %v", out.Failure)
			}
			holds(t, p, c, "\x00\x00\x00\x00"+greed[:4])
		})
	}
}

func TestAChunkThatHasNoRoomOnTheDiskLeavesTheStoreAsItWas(t *testing.T) {
	p, c := fullDisk(t, "")
	if err := c.Chunks.Put(p.Engine, []byte("small")); err != nil {
		t.Fatal(err)
	}
	hashes := c.Chunks.Hashes()
	disk.Full(t, room, func() {
		if err := c.Chunks.Put(p.Engine, bytes.Repeat([]byte("large"), 200_000)); err == nil {
			t.Error("a chunk is stored on a full disk")
		}
	})
	if !slices.Equal(c.Chunks.Hashes(), hashes) {
		t.Errorf("the store has %d chunks", c.Chunks.Len())
	}
	if chunk, err := c.Chunks.Get(hashes[0]); err != nil || string(chunk) != "small" {
		t.Errorf("the chunk is %q, %v", chunk, err)
	}
	if err := c.Chunks.Put(p.Engine, bytes.Repeat([]byte("large"), 200_000)); err != nil || c.Chunks.Len() != 2 {
		t.Errorf("with room again, the store has %d chunks: %v", c.Chunks.Len(), err)
	}
}
