package canister_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAMessageIsChargedToTheLastInstruction(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, x := range []struct {
		name, body string
		want       uint64
	}{
		{"nothing", ``, 1},
		{"a drop", `(drop (i32.const 0))`, 1 + 2},
		{"a reply", `(call $reply)`, 1 + 5 + 500},
		{"a reply of 10 bytes", `(call $append (i32.const 0) (i32.const 10)) (call $reply)`, 1 + 2 + 5 + 500 + 10*50 + 5 + 500},
		{"a page of heap", `(i32.store (i32.const 0) (i32.const 1))`, 1 + 3 + 1000},
		{"three pages of heap", `(i32.store (i32.const 0) (i32.const 1)) (i32.store (i32.const 4094) (i32.const -1)) (i32.store8 (i32.const 60000) (i32.const 1))`, 1 + 9 + 3000},
		{"a page written with what it has", `(i32.store (i32.const 0) (i32.const 0))`, 1 + 3},
		{"growing stable memory", `(drop (call $grow (i64.const 1)))`, 1 + 1 + 5 + 1 + 100},
		{
			"writing stable memory twice", `(drop (call $grow (i64.const 1))) (call $write (i64.const 4000) (i64.const 0) (i64.const 200)) (call $write (i64.const 4000) (i64.const 0) (i64.const 200))`,
			1 + 1 + 5 + 1 + 100 + 2*(3+5+20+200) + 2000,
		},
		{"writing no stable memory", `(call $write (i64.const 99999999) (i64.const 0) (i64.const 0))`, 1 + 3 + 5 + 20},
	} {
		c := p.Canister(p.Wat(fmt.Sprintf(`(module
			(import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
			(import "ic0" "stable64_grow" (func $grow (param i64) (result i64))) (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
			(memory 1) (func (export "canister_update u") %s))`, x.body)), nil)
		out := p.Update(c, "u", nil)
		if out.Failure != nil || out.Instructions != x.want {
			t.Errorf("%s costs %d instructions, want %d (%v)", x.name, out.Instructions, x.want, out.Failure)
		}
	}
}

func TestChangedPagesOfAWideHeapCostFourTimesAsMuch(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module (memory i64 1) (func (export "canister_update u") (i32.store (i64.const 0) (i32.const 1))) (func (export "canister_query q") (i32.store (i64.const 0) (i32.const 1))))`), nil)
	if out := p.Update(c, "u", nil); out.Instructions != 1+4+4000 || out.DirtyPages != 1 {
		t.Errorf("a page costs %d instructions for %d pages", out.Instructions, out.DirtyPages)
	}
	if out := p.Query(c, "q", nil); out.Instructions != 1+4 {
		t.Errorf("in a query it costs %d instructions", out.Instructions)
	}
}

// charges is what functions cost when they are called with zeros in an update; those not
// listed cost 500. What ends the message, or is not for updates, is left out.
var charges = map[string]uint64{
	"is_controller": 1000, "performance_counter": 200, "debug_print": 100, "call_new": 1500,
	"stable_size": 0, "stable64_size": 0, "stable_grow": 100, "stable64_grow": 100,
	"stable_write": 20, "stable_read": 20, "stable64_write": 20, "stable64_read": 20,
}

func TestEveryFunctionCostsWhatTheTableSays(t *testing.T) {
	p := canistertest.NewPlace(t)
	ends := " trap msg_reply call_on_cleanup call_data_append call_with_best_effort_response call_cycles_add call_cycles_add128 call_perform " +
		"env_var_name_size env_var_name_copy env_var_value_size env_var_value_copy cost_http_request_v2 "
	for _, f := range systemFunctions() {
		if !f.allows("U") || strings.Contains(ends, " "+f.name+" ") || f.name == "msg_reject" {
			continue
		}
		var args strings.Builder
		for _, typ := range strings.Fields(watTypes(f.params, false)) {
			fmt.Fprintf(&args, "(%s.const 0)", typ)
		}
		call := fmt.Sprintf("(call $f %s)", args.String())
		if f.results != "" {
			call = "(drop " + call + ")"
		}
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" %q (func $f (param %s) (result %s)))
			(import "ic0" "performance_counter" (func $counter (param i32) (result i64)))
			(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
			(memory 1) (func (export "canister_update u") (local $before i64)
			  (local.set $before (call $counter (i32.const 0)))
			  %s
			  (i64.store (i32.const 8) (i64.sub (call $counter (i32.const 0)) (local.get $before)))
			  (call $append (i32.const 8) (i32.const 8)) (call $reply)))`,
			f.name, watTypes(f.params, false), watTypes(f.results, false), call)), nil)
		want, listed := charges[f.name]
		if !listed {
			want = 500
		}
		if got := binary.LittleEndian.Uint64(reply(t, p.Update(c, "u", nil))) - 200; got != want {
			t.Errorf("%s costs %d, want %d", f.name, got, want)
		}
	}
}

func TestBytesAreCharged(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, x := range []struct {
		name, imports, call string
		want                uint64
	}{
		{"msg_caller_copy", "i32 i32 i32", "(i32.const 0) (i32.const 0) (i32.const 29)", 500 + 29 + 1000}, // the page is written
		{"msg_reply_data_append", "i32 i32", "(i32.const 0) (i32.const 100)", 500 + 100*50},
		{"debug_print", "i32 i32", "(i32.const 0) (i32.const 100)", 100 + 100*2 + 100*50},
		{"debug_print", "i32 i32", "(i32.const 0) (i32.const 9000)", 100 + 4096*2 + 4096*50},
		{"call_new", "i32 i32 i32 i32 i32 i32 i32 i32", "(i32.const 0) (i32.const 10) (i32.const 0) (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)", 1500 + 17},
		{"certified_data_set", "i32 i32", "(i32.const 0) (i32.const 32)", 532},
		{"is_controller", "i32 i32", "(i32.const 0) (i32.const 29)", 1029},
	} {
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" %q (func $f (param %s) %s)) (memory 1)
			(func (export "canister_update u") (call $f %s) %s))`,
			x.name, x.imports, map[bool]string{true: "(result i32)"}[x.name == "is_controller"], x.call, map[bool]string{true: "(drop)"}[x.name == "is_controller"])), nil)
		static := uint64(1 + 5 + strings.Count(x.call, "const"))
		if x.name == "is_controller" {
			static++
		}
		if out := p.Update(c, "u", nil); out.Instructions != static+x.want {
			t.Errorf("%s costs %d, want %d (%v)", x.name, out.Instructions-static, x.want, out.Failure)
		}
	}
}

func TestThePerformanceCounterCountsTheCallContextToo(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Scriptable()
	own := number(t, p.Run(c, canistertest.Script().Counter(0).ReplyInt()))
	all := number(t, c.Execute(&p.Subnet, &canister.Message{
		Context: canister.Update, Method: "run", Payload: canistertest.Script().Counter(1).ReplyInt().Bytes(), PriorInstructions: 1_000_000,
	}))
	if all != own+1_000_000 {
		t.Errorf("this message ran %d instructions, the call context %d", own, all)
	}
	out := p.Run(c, canistertest.Script().Counter(2).ReplyInt())
	failed(t, c, out, 504, "Canister violated contract: Error getting performance counter type 2")
}
