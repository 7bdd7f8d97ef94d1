package canister_test

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/intercanister"
)

// A message whose memories find no room on the disk fails like any other; what
// it wrote to the stable memory is undone with the heap. The limit on the size
// of files stands for a full disk.
func TestAFullDiskFailsTheMessageAndUndoesBothMemories(t *testing.T) {
	p := canistertest.NewDiskPlace(t)
	c := p.Canister(p.Wat(`(module
		(import "ic0" "msg_reply" (func $reply))
		(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
		(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
		(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
		(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
		(memory 64)
		(func (export "canister_init") (drop (call $grow (i64.const 1))) (i32.store (i32.const 0) (i32.const 0x656e6f)) (call $write (i64.const 0) (i64.const 0) (i64.const 4)))
		(func (export "canister_update big")
			(memory.fill (i32.const 0) (i32.const 88) (i32.const 4000000))
			(call $write (i64.const 0) (i64.const 0) (i64.const 60000))
			(call $reply))
		(func (export "canister_update look")
			(call $read (i64.const 100) (i64.const 0) (i64.const 4))
			(call $append (i32.const 0) (i32.const 4)) (call $append (i32.const 100) (i32.const 4)) (call $reply)))`), nil)
	update := func(method string) canister.Outcome { return p.Update(c, method, nil) }
	for range 3 {
		var out canister.Outcome
		withFileLimit(t, 2<<20, func() { out = update("big") })
		if f := out.Failure; f == nil || f.Error != intercanister.CanisterWasmEngineError || !strings.Contains(f.Text, "checkpoint file is full") {
			t.Fatalf("without room the message gives %v", f)
		}
		if got := string(reply(t, update("look"))); got != "one\x00one\x00" {
			t.Errorf("after it heap and stable memory hold %q", got)
		}
	}
	reply(t, update("big"))
	if got := string(reply(t, update("look"))); got != "XXXXXXXX" {
		t.Errorf("with room heap and stable memory hold %q", got)
	}
}

func withFileLimit(t *testing.T, bytes uint64, do func()) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	}()
	do()
}
