package fragment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func assembled(t *testing.T, text string) []byte {
	t.Helper()
	module, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestAModuleIsCutUnlessItsFunctionsAreReachedInOtherWays(t *testing.T) {
	const imported = `(import "ic0" "msg_reply" (func $reply))`
	for text, cut := range map[string]bool{
		`(module)`: true,
		`(module (func $f) (table 3 funcref) (elem (i32.const 1) $f $f))`:         true,
		`(module (func $f) (start $f))`:                                           false,
		`(module (table 1 funcref) (table 1 funcref))`:                            false,
		`(module ` + imported + ` (table 1 funcref) (elem (i32.const 0) $reply))`: false,
		`(module (func $f) (table 3 funcref) (elem (i32.const 2) $f $f))`:         false,
		`(module (func $f) (table 3 funcref) (elem func $f))`:                     false,
	} {
		if _, ok := New(assembled(t, text)); ok != cut {
			t.Errorf("%s is cut: %t, want %t", text, ok, cut)
		}
	}
}

func TestAnEntryHasTheLastFunctionThatIsPutThere(t *testing.T) {
	s, ok := New(assembled(t, `(module (import "ic0" "msg_reply" (func)) (func $f) (func $g)
		(table 3 funcref) (elem (i32.const 0) $f $f) (elem (i32.const 1) $g))`))
	if !ok {
		t.Fatal("the module is not cut")
	}
	for entry, want := range []string{"1 true", "2 true", "0 false", "0 false"} {
		function, ok := s.Entry(uint32(entry))
		if got := fmt.Sprint(function, ok); got != want {
			t.Errorf("entry %d has %s, want %s", entry, got, want)
		}
	}
	if got := s.slots; !slices.Equal(got[0], []slot{0}) || !slices.Equal(got[1], []slot{1}) {
		t.Errorf("the functions are in the entries %v", got)
	}
}

// A function of n operators nop has n+2 bytes.
func TestAFragmentHasTheFunctionAndSmallOnesThatItCalls(t *testing.T) {
	nops := func(n int) string { return strings.Repeat("nop ", n) }
	s, ok := New(assembled(t, `(module
		(func $f `+nops(maxBytes-1200)+` (call $small) (call $large) (call $loaded) (call $small))
		(func $small `+nops(maxCallee-2-2)+` (call $other))
		(func $large `+nops(maxCallee-1)+`)
		(func $loaded)
		(func $other `+nops(500)+`)
		(func $uncalled)
		(func $beyond `+nops(maxBytes)+` (call $uncalled)))`))
	if !ok {
		t.Fatal("the module is not cut")
	}
	loaded := func(f uint32) bool { return f == 3 }
	for function, want := range map[uint32][]uint32{0: {0, 1, 4}, 1: {1, 4}, 5: {5}, 6: {6}} {
		if got := s.Choose(function, loaded); !slices.Equal(got, want) {
			t.Errorf("the fragment of function %d has %v, want %v", function, got, want)
		}
	}
}

func TestTypesWithManyValuesDoNotFitRegisters(t *testing.T) {
	for params, want := range map[string]bool{
		strings.Repeat("\x7f", registerIntegers):                                          true,
		strings.Repeat("\x7e", registerIntegers+1):                                        false,
		strings.Repeat("\x7c", registerFloats) + strings.Repeat("\x7f", registerIntegers): true,
		strings.Repeat("\x7b", registerFloats+1):                                          false,
	} {
		for _, signature := range []string{list(params) + list(""), list("") + list(params)} {
			if got := inRegisters("\x60"+signature, 0); got != want {
				t.Errorf("type %x is in registers: %t, want %t", signature, got, want)
			}
		}
	}
	if inRegisters("\x60"+list(strings.Repeat("\x7f", registerIntegers))+list(""), 1) {
		t.Error("one more parameter fits")
	}
}

func list(types string) string { return string(wasmfile.AppendBlock(nil, types)) }
