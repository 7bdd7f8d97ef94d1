package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// callShape is a function f whose calls are on some of its ways. What it calls is recursive, so that it may check.
type callShape struct{ name, body string }

func (s callShape) module() string {
	const callee = `(func $g (param i32) (result i32)
		local.get 0 i32.const 9 i32.gt_u if (result i32) i32.const 8 call $g else local.get 0 end)`
	return fmt.Sprintf(`(module (table funcref (elem $g)) (func (export "f") (param i32) (result i32) %s) %s)`, s.body, callee)
}

func waysToCall() []callShape {
	five := ""
	for n := range 5 {
		five += fmt.Sprintf("local.get 0 i32.const %d i32.eq if i32.const %d call $g drop end ", n, n)
	}
	return []callShape{
		{"a call at once", `local.get 0 call $g`},
		{"a call after a return", `local.get 0 if i32.const 1 return end local.get 0 call $g`},
		{"a call in one branch", `local.get 0 i32.const 1 i32.and if (result i32) local.get 0 call $g else i32.const 2 end`},
		{"a call in the other", `local.get 0 i32.const 1 i32.and if (result i32) i32.const 2 else local.get 0 call $g end`},
		{"calls in both and afterwards", `local.get 0 i32.const 1 i32.and if (result i32) local.get 0 call $g else i32.const 3 call $g end call $g`},
		{"a return between calls", `local.get 0 if local.get 0 call $g i32.const 2 i32.eq if i32.const 7 return end i32.const 1 call $g drop end local.get 0`},
		{"a return behind a call", `local.get 0 call $g i32.const 2 i32.gt_u if i32.const 7 return end local.get 0 call $g`},
		{"br_if out of the function", `local.get 0 call $g local.get 0 i32.const 1 i32.and br_if 0 drop local.get 0 call $g`},
		{"br_if out of a block", `block local.get 0 i32.const 3 i32.and br_if 0 local.get 0 call $g br_if 0 i32.const 4 call $g drop end local.get 0`},
		{"br_if past a call and back", `block block local.get 0 br_if 0 i32.const 1 call $g br_if 1 end i32.const 2 call $g drop end i32.const 3 call $g`},
		{"br out of a branch", `block local.get 0 if local.get 0 call $g drop br 1 end i32.const 2 call $g drop end local.get 0`},
		{"br_table out and within", `block block local.get 0 if (result i32) local.get 0 call $g
			block local.get 0 br_table 0 2 3 0 end else i32.const 1 end drop br 1 end i32.const 2 call $g drop end local.get 0`},
		{"br_table out of the function", `local.get 0 call $g local.get 0 br_table 0 0`},
		{"br_table out of the function or not", `block (result i32) local.get 0 call $g local.get 0 br_table 0 1 0 end call $g`},
		{"calls in a loop", `loop local.get 0 call $g drop local.get 0 i32.const 1 i32.sub local.tee 0 i32.const 0 i32.gt_s br_if 0 end local.get 0`},
		{"calls in a loop on one way", `(local i32) i32.const 6 local.set 1 block local.get 0 i32.const 3 i32.eq br_if 0
			loop local.get 1 i32.const 1 i32.sub local.tee 1 br_if 0 local.get 1 i32.eqz br_if 1 i32.const 4 call $g drop br 0 end end local.get 0`},
		{"a call in a loop that is left", `(local i32) loop local.get 1 i32.const 5 i32.eq if i32.const 1 return end
			local.get 1 call $g i32.const 1 i32.add local.tee 1 i32.const 4 i32.ne br_if 0 end local.get 1`},
		{"calls on five ways", five + ` local.get 0`},
		{"calls on five ways that are left", `block block ` + strings.ReplaceAll(five, "drop end", "i32.const 2 i32.eq br_if 1 local.get 0 i32.const 5 i32.eq br_if 2 end") +
			` end end local.get 0 if i32.const 9 return end local.get 0`},
		{"calls on five ways and a br_table", `block (result i32) block (result i32) ` + five + ` local.get 0 local.get 0 br_table 0 1 2 end end`},
		{"calls on five ways and a tail call", five + ` local.get 0 return_call $g`},
		{"a tail call", `local.get 0 return_call $g`},
		{"a call and a tail call", `local.get 0 call $g return_call $g`},
		{"a call or a tail call", `local.get 0 if (result i32) local.get 0 call $g i32.const 1 i32.and if local.get 0 return_call $g end i32.const 1 else i32.const 0 return_call $g end`},
		{"calls through a table", `local.get 0 if (result i32) local.get 0 i32.const 0 call_indirect (param i32) (result i32) else i32.const 20 i32.const 0 return_call_indirect (param i32) (result i32) end`},
		{"a way without end", `local.get 0 i32.const 77 i32.eq if local.get 0 call $g drop unreachable end local.get 0`},
	}
}

// TestEveryWayThroughAFunctionGivesItsFrameBack: guest.call wants the whole stack back.
func TestEveryWayThroughAFunctionGivesItsFrameBack(t *testing.T) {
	for _, c := range waysToCall() {
		g := start(t, rewriteText(t, c.module(), conformance))
		off := conformance
		off.unmetered = true
		bare := start(t, rewriteText(t, c.module(), off))
		for n := range uint64(12) {
			want, err := bare.call("f", n)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, slice := range []int64{1 << 40, 3} {
				g.reset(slice)
				if got, err := g.call("f", n); err != nil || got[0] != want[0] {
					t.Fatalf("%s: f(%d) is %v (%v), want %v", c.name, n, got, err, want)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("%s: see above", c.name)
		}
	}
}

func TestARecursionOnAnyWayEndsWhereTheStackIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body string }{
		{"at once", `call $f`},
		{"in a branch", `i32.const 1 if call $f end`},
		{"in the other branch", `i32.const 0 if else call $f end`},
		{"after a block that may be left", `block i32.const 0 br_if 0 end call $f`},
		{"in a loop", `loop i32.const 0 br_if 0 call $f br 0 end`},
		{"where a br_table leaves and stays", `i32.const 1 if call $f block i32.const 0 br_table 0 1 2 end end`},
		{"through a table", `i32.const 1 if i32.const 0 call_indirect end`},
		{"through another function", `i32.const 1 if call $g end`},
		{"through a tail call", `i32.const 1 if call $h end`},
	} {
		g := start(t, rewriteText(t, fmt.Sprintf(`(module (table funcref (elem $f)) (global (export "depth") (mut i32) (i32.const 0))
			(func $f (export "f") global.get 0 i32.const 1 i32.add global.set 0 %s)
			(func $g i32.const 1 if call $f end) (func $h i32.const 1 if return_call $f end))`, c.body), conformance))
		if _, err := g.call("f"); !errors.Is(err, errStackOverflow) {
			t.Errorf("%s: %v, want a stack overflow", c.name, err)
		}
		if depth := g.inst.ExportedGlobal("depth").Get(); depth < StackSize/128 || depth > StackSize/32 {
			t.Errorf("%s: it is %d deep", c.name, depth)
		}
	}
}

// needsOf are the stack needs of a module's functions.
func needsOf(t *testing.T, raw []byte) []uint32 {
	t.Helper()
	s := &source{options: conformance, rules: schedules[Schedule202606]}
	if bad := s.parse(raw); bad != nil {
		t.Fatal(bad)
	}
	code := &codeWriter{s: s}
	if bad := code.rewriteBodies(); bad != nil {
		t.Fatal(bad)
	}
	return code.stackNeeds
}

func TestAFunctionThatNeedsLittleIsKnownWhereverItIsInTheModule(t *testing.T) {
	const leaf, middle, top = `(func $leaf nop)`, `(func $middle call $leaf)`, `(func $top call $middle call $leaf)`
	after := needsOf(t, assemble(t, `(module `+top+middle+leaf+`)`))
	before := needsOf(t, assemble(t, `(module `+leaf+middle+top+`)`))
	slices.Reverse(before)
	if !slices.Equal(after, before) || after[2] == 0 || after[1] <= after[2] || after[0] <= after[1] || after[0] == unboundedStack {
		t.Errorf("callers first need %d bytes, callees first %d", after, before)
	}
}

func TestMostFunctionsOfMotokoNeedNoStackCheck(t *testing.T) {
	for name, most := range map[string]float64{"bench": 0.25, "outcaller": 0.78} { // Motoko and Rust
		needs := needsOf(t, measuredModule(t, name))
		check := 0
		for _, need := range needs {
			if need == unboundedStack {
				check++
			}
		}
		if share := float64(check) / float64(len(needs)); share > most {
			t.Errorf("%s: %d of %d functions check the stack, want at most %.2f of them", name, check, len(needs), most)
		}
	}
}

func TestFunctionsOfARecursionCheck(t *testing.T) {
	needs := needsOf(t, assemble(t, `(module (func $a call $b) (func $b call $c call $d) (func $c call $a) (func $d) (func $e call $e) (func $f (param i32) local.get 0 if call $d else call $b end))`))
	for i, want := range []bool{true, true, true, false, true, true} {
		if got := needs[i] == unboundedStack; got != want {
			t.Errorf("function %d checks: %v, want %v", i, got, want)
		}
	}
}

// In TestAChainOfCallsIsWalkedToALimit each function calls the next, so that each walk waits for the next one.
func TestAChainOfCallsIsWalkedToALimit(t *testing.T) {
	for n, want := range map[int]bool{64: true, 65: false} {
		text := "(module "
		for i := range n {
			if i < n-1 {
				text += fmt.Sprintf("(func $f%d call $f%d) ", i, i+1)
			} else {
				text += fmt.Sprintf("(func $f%d) )", i)
			}
		}
		needs := needsOf(t, assemble(t, text))
		if got := needs[62] != unboundedStack; got != want {
			t.Errorf("a chain of %d functions: the 63rd knows the need of the 64th: %v, want %v", n, got, want)
		}
	}
}

func TestTheFirstOfSeveralInvalidFunctionsIsNamed(t *testing.T) {
	t.Parallel()
	const text = `(module (func $f call $g drop) (func $g local.get 7))`
	_, err := Rewrite(assemble(t, text), conformance)
	if err == nil || !strings.Contains(err.Error(), "nothing on stack") {
		t.Errorf("got %v, want what is wrong with the first function", err)
	}
	large := strings.Repeat("nop ", 1_000_001)
	_, err = Rewrite(assemble(t, `(module (func $f call $g `+large+`) (func $g `+large+`))`), canisterOptions)
	if err == nil || !strings.Contains(err.Error(), "function at index 0 with complexity") {
		t.Errorf("got %v, want the complexity of the first function", err)
	}
}

// A caller in such a chain takes 32 bytes: 32 of them fit what may stay unchecked. Each waits for the next to be
// written, so up to 64 of them are walked at a time (maxWalks); the chain that is longer by one ends at a function that
// counts as one that checks, and so do all that wait for it.
func TestALongChainOfCallsIsUncheckedAtItsEnd(t *testing.T) {
	for _, c := range []struct{ length, taken int }{{32, 0}, {33, 1}, {63, 31}, {64, 64}} {
		var chain strings.Builder
		for i := range c.length {
			fmt.Fprintf(&chain, "(func call %d)", i+1)
		}
		g := start(t, rewriteText(t, fmt.Sprintf(`(module %s (func unreachable) (export "f" (func 0)))`, chain.String()), conformance))
		g.reset(1000)
		if _, err := g.call("f"); err == nil {
			t.Fatal("no trap")
		}
		if got := int(stackUsed(g.counter.Get())); got != 32*c.taken {
			t.Errorf("a chain of %d calls takes %d bytes, want %d functions of 32", c.length, got, c.taken)
		}
	}
}
