package wasm

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// failing has a method for each way to fail: in its own code, in a callee, and at a check.
const failing = `(module
	(memory 1)
	(table 1 funcref)
	(func $load (param i32) (result i32) (i32.add (i32.const 1) (i32.load offset=3 (local.get 0))))
	(func $divide (param i32) (result i32) (local.get 0) (drop (i32.load (i32.const 8))) (i32.div_u (i32.const 9) (local.get 0)) (i32.add))
	(func $truncate (param f64) (result i32) (i32.trunc_f64_s (local.get 0)))
	(func $again (param i32) (result i32) (i32.add (i32.const 1) (call $again (local.get 0))))
	(func (export "canister_update load") (drop (call $load (i32.const 65533))))
	(func (export "canister_update divide") (drop (call $divide (i32.const 0))))
	(func (export "canister_update truncate") (drop (call $truncate (f64.const 1e20))))
	(func (export "canister_update indirect") (block (nop)) (call_indirect (i32.const 0)))
	(func (export "canister_update unreachable") (if (i32.const 1) (then (unreachable))))
	(func (export "canister_update forever") (loop (br 0)))
	(func (export "canister_update again") (drop (call $again (i32.const 1)))))`

func TestAFrameHasTheOffsetOfItsOperator(t *testing.T) {
	const (
		load, divide, truncate, call, callIndirect, unreachable, loop, first = 0x28, 0x6e, 0xaa, 0x10, 0x11, 0x00, 0x03, 0x41
	)
	raw, err := wat.Assemble(failing)
	if err != nil {
		t.Fatal(err)
	}
	for form, options := range map[string]rewrite.Options{ // in any order
		"plain": {}, "probes": {Probes: true}, "coverage": {Coverage: true},
	} {
		options.SystemAPI, options.Positions = testSignatures, true
		m, err := rewrite.Rewrite(raw, options)
		if err != nil {
			t.Fatal(err)
		}
		offsets, err := m.Locate(raw, options)
		if err != nil {
			t.Fatal(err)
		}
		e := newTestEngine(t, Config{Ran: func(m *rewrite.Module) []atomic.Uint64 { return make([]atomic.Uint64, m.RanGlobals) }})
		code, err := e.Compile(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		for name, want := range map[string][]byte{ // innermost first; in any order
			"load": {load, call}, "divide": {divide, call}, "truncate": {truncate, call}, "indirect": {callIndirect}, "unreachable": {unreachable},
			"forever": {loop}, "again": {first, call, call},
		} {
			trap, ok := g.Run(method(name), &testHost{}, Budget{Limit: 1e8}).(*Trap)
			if !ok {
				t.Fatalf("%s, %s: it does not trap", form, name)
			}
			var got []byte
			for _, f := range trap.Backtrace {
				if at, ok := offsets.Original(f.Offset); ok && f.Offset != 0 && len(got) < len(want) {
					got = append(got, raw[at])
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s: the frames are at operators %#x, want %#x", form, name, got, want)
			}
		}
	}
}
