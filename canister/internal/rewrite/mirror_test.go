package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

// TestTheCounterIsRightAtEveryKindOfTrap has one block in which nothing but the trap makes anybody look at the counter.
func TestTheCounterIsRightAtEveryKindOfTrap(t *testing.T) {
	const nan32, nan64 = "f32.const nan", "f64.const nan"
	traps := []string{
		"unreachable", "call 1", "i32.const 9 call_indirect", "i32.const 9 table.get drop", "i32.const 9 ref.null func table.set",
		"return_call 1", "i32.const 9 return_call_indirect",
		"i32.const -1 i32.const -1 i32.const 3 memory.fill", "i32.const -1 i32.const -1 i32.const 3 memory.copy",
		"i32.const -1 v128.load drop", "i32.const -1 v128.const i64x2 0 0 v128.store8_lane 0",
	}
	for _, load := range []string{
		"i32.load", "i64.load", "f32.load", "f64.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u",
		"i64.load8_s", "i64.load8_u", "i64.load16_s", "i64.load16_u", "i64.load32_s", "i64.load32_u",
	} {
		traps = append(traps, "i32.const -1 "+load+" drop")
	}
	for _, store := range []string{"i32.store", "i64.store", "f32.store", "f64.store", "i32.store8", "i32.store16", "i64.store8", "i64.store16", "i64.store32"} {
		traps = append(traps, "i32.const -1 "+store[:3]+".const 0 "+store)
	}
	for _, op := range []string{"div_s", "div_u", "rem_s", "rem_u"} {
		traps = append(traps, "i32.const 1 i32.const 0 i32."+op+" drop", "i64.const 1 i64.const 0 i64."+op+" drop")
	}
	for _, to := range []string{"i32", "i64"} {
		for _, sign := range []string{"s", "u"} {
			traps = append(traps, nan32+" "+to+".trunc_f32_"+sign+" drop", nan64+" "+to+".trunc_f64_"+sign+" drop")
		}
	}
	for _, trap := range traps {
		alone := chargedAtTrap(t, trap)
		// The same after a call, which makes the counter right in any case; $ok itself costs 1 and its call 5.
		if settled := chargedAtTrap(t, "call $ok "+trap); alone == 0 || settled != alone+6 {
			t.Errorf("%s: charged %d, %d after a call", trap, alone, settled)
		}
	}
}

func chargedAtTrap(t *testing.T, body string) int64 {
	t.Helper()
	g := start(t, rewriteText(t, `(module (memory 1) (table 1 funcref) (func (export "f") `+body+`) (func unreachable) (func $ok))`, conformance))
	if _, err := g.call("f"); err == nil {
		t.Fatalf("%s does not trap", body)
	}
	return g.used()
}

// TestEveryFunctionIsCalledAgainByItsDispatcher has more functions of one type than a dispatcher serves, and several
// types.
func TestEveryFunctionIsCalledAgainByItsDispatcher(t *testing.T) {
	var text strings.Builder
	const functions = 2*dispatcherWidth + 3
	for i := range functions {
		fmt.Fprintf(&text, `(func (export "a%d") (param i32 f64 i64) (result i64 i32) local.get 2 i64.const %d i64.add local.get 0)`, i, i)
		fmt.Fprintf(&text, `(func (export "b%d") (param v128 i32) (result i32) local.get 1 i32.const %d i32.add)`, i, i)
	}
	text.WriteString(`(func (export "last") (param i32) (result i32) v128.const i64x2 0 0 local.get 0 call 1)`)
	g := start(t, rewriteText(t, "(module "+text.String()+")", conformance))
	for i := range functions {
		g.reset(1)
		g.slice = 50
		got, err := g.call(fmt.Sprintf("a%d", i), 7, 0, 1000)
		if err != nil || got[0] != uint64(1000+i) || got[1] != 7 {
			t.Fatalf("function a%d gives %v, %v", i, got, err)
		}
		// 5 are charged of 1; the refill to 50 is without them.
		if left := g.left(); g.refills != 1 || left != 50 {
			t.Fatalf("function a%d: %d refills, %d left", i, g.refills, left)
		}
	}
	g.reset(10)
	if got, err := g.call("last", 41); err != nil || got[0] != 41 || g.refills != 1 {
		t.Fatalf("got %v, %v with %d refills", got, err, g.refills)
	}
}
