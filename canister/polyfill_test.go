package canister_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// polyfillDiffers are the functions that do something else in a module with the polyfill. Their scripts are in
// testdata/polyfill.
var polyfillDiffers = []string{"poll_oneoff", "proc_exit", "random_get"}

func TestFunctionsOfThePolyfillDoWhatTheScriptsOfWASISay(t *testing.T) {
	for _, f := range canister.WASI() {
		if slices.Contains(polyfillDiffers, f.Name) {
			continue
		}
		golden.SameScript(t, filepath.Join("testdata/wasi", f.Name+".txt"), func(t testing.TB) golden.Performer { return newPolyfillPerformer(t) })
	}
}

func TestFunctionsOfThePolyfillThatDifferDoWhatTheirScriptsSay(t *testing.T) {
	golden.Scripts(t, "testdata/polyfill", func(t testing.TB) golden.Performer { return newPolyfillPerformer(t) })
}

// newPolyfillPerformer runs the module of newWASIPerformer with the polyfill, without the feature.
func newPolyfillPerformer(t testing.TB) *wasiPerformer {
	p := &wasiPerformer{place: canistertest.NewPlace(t), caller: "update"}
	m := p.place.Module(polyfilled(t, wasiCaller()))
	if m.Needs() != 0 {
		t.Fatalf("the module needs %v", m.Needs().Names())
	}
	p.c = p.place.Canister(m, nil)
	return p
}

func polyfilled(t testing.TB, text string) []byte {
	t.Helper()
	binary, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := canister.Polyfill(binary)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAModuleThatNeedsNoWASIIsLeftAsItIs(t *testing.T) {
	binary := wat.MustAssemble(`(module (func (export "canister_update hi")))`)
	out, err := canister.Polyfill(binary)
	if err != nil || string(out) != string(binary) {
		t.Errorf("%x %v", out, err)
	}
}

func TestThePolyfillRefusesAModuleThatNeedsFiles(t *testing.T) {
	_, err := canister.Polyfill(wat.MustAssemble(`(module (import "wasi_snapshot_preview1" "path_open" (func)))`))
	if err == nil || !strings.Contains(err.Error(), "path_open") {
		t.Error(err)
	}
}

// hidden is a program whose parts all have indices that change. Its methods say what they see.
const hidden = `(module
  (type $number (func (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (import "ic0" "msg_reply" (func $reply))
  (memory 1 3)
  (table 4 funcref)
  (global $calls (mut i32) (i32.const 0))
  (data (i32.const 16) "\00\80\00\00\04\00\00\00")
  (data (i32.const 32768) "line")
  (elem (i32.const 1) $seven)
  (elem (table 0) (i32.const 2) funcref (ref.func $eight))
  (elem declare func $seven)
  (func $seven (type $number) (i32.const 7))
  (func $eight (type $number) (i32.const 8))
  (func (export "_initialize") (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 0))))
  (func $say (param i32) (i32.store (i32.const 100) (local.get 0)) (call $append (i32.const 100) (i32.const 4)))
  (func (export "canister_update_count")
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (call $say (global.get $calls))
    (call $say (call_indirect (type $number) (i32.const 1)))
    (call $say (call_indirect (type $number) (i32.const 2)))
    (call $say (block (type $number) (memory.size)))
    (call $say (memory.grow (i32.const 0)))
    (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 24)))
    (call $say (memory.grow (i32.const 1)))
    (call $say (memory.grow (i32.const 9)))
    (call $append (i32.const 0) (i32.const 8))
    (call $reply))
  (func (export "canister_query zeros") (local $at i32)
    (loop $next
      (if (i32.load8_u offset=65536 (local.get $at)) (then (unreachable)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 65536))))
    (call $reply)))`

func TestAModuleSeesTheSameWithThePolyfill(t *testing.T) {
	for _, linked := range []bool{false, true} {
		place := canistertest.NewPlace(t)
		module := wat.MustAssemble(hidden)
		if linked {
			module = polyfilled(t, hidden)
		}
		c := place.Canister(place.Module(module), nil)
		begun := place.Subnet.Time
		place.Subnet.Time++
		for i, want := range [][]uint32{{1, 7, 8, 1, 1, 1, ^uint32(0)}, {2, 7, 8, 2, 2, 2, ^uint32(0)}} {
			out := c.Execute(&place.Subnet, &canister.Message{Context: canister.Update, Method: "count", Caller: canistertest.User})
			if out.Failure != nil || out.Response == nil {
				t.Fatalf("polyfill %t: %v", linked, out.Failure)
			}
			var reply []byte
			for _, n := range want {
				reply = binary.LittleEndian.AppendUint32(reply, n)
			}
			if reply = binary.LittleEndian.AppendUint64(reply, begun); !bytes.Equal(out.Response.Reply, reply) {
				t.Errorf("polyfill %t, call %d: %x, not %x", linked, i, out.Response.Reply, reply)
			}
			if got := string(c.Logs.At(i).Content); got != "line" {
				t.Errorf("polyfill %t: the log is %q", linked, got)
			}
		}
		if out := c.Execute(&place.Subnet, &canister.Message{Context: canister.ReplicatedQuery, Method: "zeros", Caller: canistertest.User}); out.Failure != nil {
			t.Errorf("polyfill %t: new pages are not empty: %v", linked, out.Failure)
		}
	}
}
