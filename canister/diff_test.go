package canister_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

const writer = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(memory 8)
	(func (export "canister_update heap") (call $arg (i32.const 0) (i32.const 0) (i32.const 2))
		(i32.store8 (i32.mul (i32.load8_u (i32.const 0)) (i32.const 4096)) (i32.load8_u (i32.const 1)))
		(i32.store16 (i32.const 0) (i32.const 0)) (call $reply))
	(func (export "canister_update stable") (call $arg (i32.const 0) (i32.const 0) (i32.const 2))
		(call $write (i64.mul (i64.load8_u (i32.const 0)) (i64.const 4096)) (i64.const 1) (i64.const 1))
		(i32.store16 (i32.const 0) (i32.const 0)) (call $reply))
	(func (export "canister_update grow") (drop (call $grow (i64.const 100))) (call $reply)))`

func TestPagesThatDifferBetweenForksAreCounted(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(writer), nil)
	do := func(c *canister.Canister, method string, arg ...byte) {
		t.Helper()
		if out := p.Update(c, method, arg); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
	do(c, "grow")
	for page := range byte(5) {
		do(c, "heap", page+10, 1)
		do(c, "stable", page*50, 1)
	}
	f := c.Fork()
	differ := func(what string, heap, stable uint64) {
		t.Helper()
		for _, both := range [][2]*canister.Canister{{c, f}, {f, c}} {
			h, s, err := both[0].PagesDiffering(both[1])
			if err != nil || h != heap || s != stable {
				t.Errorf("%s: %d pages of heap and %d of stable memory differ (%v), want %d and %d", what, h, s, err, heap, stable)
			}
		}
	}
	differ("a fork", 0, 0)
	do(f, "heap", 10, 1)
	do(c, "stable", 50, 1)
	differ("pages written with what they had", 0, 0)
	do(f, "heap", 11, 2)
	do(f, "heap", 100, 2)
	do(c, "heap", 12, 3)
	do(f, "stable", 201, 2)
	do(c, "stable", 50, 2)
	differ("other bytes", 3, 2)
	do(f, "heap", 100, 0)
	differ("a page of zeros that is written", 2, 2)
	do(c, "heap", 11, 2)
	do(f, "heap", 12, 3)
	differ("the same bytes on both sides", 0, 2)
	do(f, "grow")
	do(f, "stable", 255, 7)
	differ("memory that grew", 0, 3)
	g := f.Fork()
	if h, s, err := g.PagesDiffering(c); err != nil || h != 0 || s != 3 {
		t.Error(fmt.Errorf("a fork of a fork: %d and %d pages differ (%w), want 0 and 3", h, s, err))
	}
	g.Uninstall()
	h, s, err := g.PagesDiffering(c)
	if err != nil || h < 5 || s != 5 {
		t.Errorf("without code: %d and %d pages differ (%v)", h, s, err)
	}
}
