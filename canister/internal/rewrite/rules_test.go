package rewrite

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// testAPI is a small System API: a pointer function, one of 32-bit modules alone, and the stable memory.
func testAPI(name string, wide bool) (params, results []byte, ok bool) {
	pointer := byte(0x7f)
	if wide {
		pointer = 0x7e
	}
	switch name {
	case "msg_reply":
		return nil, nil, true
	case "debug_print":
		return []byte{pointer, pointer}, nil, true
	case "stable_size":
		return nil, []byte{0x7f}, !wide
	case "stable64_write":
		return []byte{0x7e, 0x7e, 0x7e}, nil, true
	}
	return nil, nil, false
}

var canisterOptions = Options{SystemAPI: testAPI}

const notValid = "Canister's Wasm module is not valid: "

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestModulesAreRefusedInTheReplicasWords(t *testing.T) {
	t.Parallel()
	const (
		engine  = "Wasmtime failed to validate wasm module wasmtime::Module::validate() failed with "
		exports = "Wasm module has an invalid export section. "
		imports = "Wasm module has an invalid import section. "
		custom  = "Wasm module has an invalid custom section. "
	)
	for _, c := range []struct{ name, text, want string }{
		{"two memories", `(module (memory 1) (memory 1))`, engine + "multiple memories (at offset"},
		{"a type error", `(module (func (result i32)))`, engine + "type mismatch: expected i32 but nothing on stack (at offset"},
		{"an import that is no System API", `(module (import "ic0" "nope" (func)))`, imports + "Module imports function 'nope' from 'ic0' that is not exported by the runtime."},
		{
			"a System API function from elsewhere", `(module (import "env" "msg_reply" (func)))`,
			imports + `Module imports function "msg_reply" from "env", expected to be imported from one of ["ic0"] instead.`,
		},
		{"an imported global", `(module (import "ic0" "g" (global i32)))`, imports + "Importing globals is not allowed."},
		{
			"wrong parameters", `(module (import "ic0" "debug_print" (func (param i64 i32))))`,
			"Wasm module has an invalid function signature. Expected input params [I32, I32] for 'debug_print', got [I64, I32].",
		},
		{
			"wrong parameters for 64 bits", `(module (import "ic0" "debug_print" (func (param i32 i32))) (memory i64 1))`,
			"Wasm module has an invalid function signature. Expected input params [I64, I64] for 'debug_print', got [I32, I32].",
		},
		{
			"wrong results", `(module (import "ic0" "msg_reply" (func (result i32))))`,
			"Wasm module has an invalid function signature. Expected return type [] for 'msg_reply', got [I32].",
		},
		{
			"a 32-bit function in a 64-bit module", `(module (import "ic0" "stable_size" (func (result i32))) (memory i64 1))`,
			imports + "Module imports function 'stable_size' from 'ic0' that is not exported by the runtime.",
		},
		{"a reserved export", `(module (func (export "canister_start")))`, exports + "Exporting reserved symbol canister_start not allowed."},
		{"an unknown entry point", `(module (func (export "canister_nope")))`, exports + `Exporting reserved function 'canister_nope' with "canister_" prefix.`},
		{
			"a method with a result", `(module (func (export "canister_query q") (result i32) i32.const 1))`,
			"Wasm module has an invalid function signature. Expected return type [] for 'canister_query q', got [I32].",
		},
		{
			"a method twice", `(module (func (export "canister_query x")) (func (export "canister_update x")))`,
			"Duplicate function 'x' exported multiple times with different call types: update, query, or composite_query.",
		},
		{
			"too many methods", "(module (func $f) " + repeat(1001, `(export "canister_query %d" (func $f))`) + ")",
			"The number of exported functions called `canister_update <name>`, `canister_query <name>`, or `canister_composite_query <name>` is 1001 which exceeds 1000.",
		},
		{
			"method names too long", `(module (func (export "canister_update ` + strings.Repeat("x", 20001) + `")))`,
			"The sum of `<name>` lengths in exported functions called `canister_update <name>`, `canister_query <name>`, or `canister_composite_query <name>` is 20001 which exceeds the allowed limit of 20000.",
		},
		{"too many globals", "(module " + repeat(1001, `(global i32 (i32.const %d))`) + ")", "Wasm module defined 1001 globals which exceeds the maximum number allowed 1000."},
		{"too many functions", "(module " + strings.Repeat("(func)", 50001) + ")", "Wasm module defined 50001 functions which exceeds the maximum number allowed 50000."},
		{"a reference global", `(module (global funcref (ref.null func)))`, "Wasm module has an invalid global section. Unsupported global type: Ref(funcref)."},
		{
			"table.set", `(module (table 1 funcref) (func) (func i32.const 0 ref.null func table.set 0))`,
			"Wasm module contains a function at index 1 with unsupported instruction table.set.",
		},
		{
			"table.grow", `(module (table 1 funcref) (func ref.null func i32.const 0 table.grow 0 drop))`,
			"Wasm module contains a function at index 0 with unsupported instruction table.grow.",
		},
		{
			"complexity", "(module (func " + strings.Repeat("block end ", 20001) + "))",
			"Wasm module contains a function at index 0 with complexity 1020052 which exceeds the maximum complexity allowed 1000000.",
		},
		{
			"size", "(module (func " + strings.Repeat("nop ", 999_999) + "nop))",
			"Wasm module contains a function at index 0 with complexity 1000001 which exceeds the maximum complexity allowed 1000000.",
		},
		{
			"a function name of megabytes", `(module (func $` + strings.Repeat("n", 1<<20+1) + `))`,
			"Wasm module contains a function at index 0 with name 'nnnnnnnnnnnnnnnnnnnn...' of size 1048577 bytes that exceeds the maximum allowed size of 1048576 bytes.",
		},
		{"an icp section without a scope", `(module (@custom "icp:nope x" "1"))`, custom + "Invalid custom section: Custom section 'icp:nope x' has no public/private scope defined."},
		{"an icp section without a space", `(module (@custom "icp:public" "1"))`, custom + "'icp:' section names must have a space after the public/private scope."},
		{"an icp section twice", `(module (@custom "icp:public a" "1") (@custom "icp:private a" "1"))`, custom + "Invalid custom section: name a already exists."},
		{"too many icp sections", "(module " + repeat(17, `(@custom "icp:public %d" "1")`) + ")", "Wasm module defined 17 custom sections which exceeds the maximum number allowed 16."},
		{
			"icp sections too large", `(module (@custom "icp:public a" "` + strings.Repeat("x", 1<<20) + `"))`,
			custom + "Invalid custom sections: total size of the custom sections exceeds the maximum allowed: size 1048577 bytes, allowed 1048576 bytes.",
		},
		{"threads", `(module (memory 1 1 shared))`, engine + "threads must be enabled for shared memories (at offset"},
		{"relaxed SIMD", `(module (func (param v128) local.get 0 local.get 0 i8x16.relaxed_swizzle drop))`, engine + "relaxed SIMD support is not enabled (at offset"},
		{"arithmetic in a constant", `(module (global i32 (i32.add (i32.const 0) (i32.const 0))))`, engine + "constant expression required: non-constant operator (at offset"},
	} {
		_, err := Rewrite(assemble(t, c.text), canisterOptions)
		var bad *Invalid
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := bad.Error(); !strings.HasPrefix(got, notValid+c.want) || got[len(got)-1] != '.' {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, notValid+c.want)
		}
		if !strings.HasPrefix(bad.Message(), bad.Error()+"\n") || strings.HasSuffix(bad.Message(), "\n") {
			t.Errorf("%s: message %q", c.name, bad.Message())
		}
	}
}

func TestActiveDataMustFitTheDeclaredMemory(t *testing.T) {
	_, err := Rewrite(assemble(t, `(module (memory 1) (data (i32.const 65534) "abc"))`), canisterOptions)
	const want = "Could not instrument wasm module of canister: Wasm module has invalid data segment of 3 bytes at 65534."
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestACodeSectionTooLargeIsTheFirstFault(t *testing.T) {
	raw := append([]byte("\x00asm\x01\x00\x00\x00\x0a"), appendU32(nil, 12<<20+1)...)
	_, err := Rewrite(raw, canisterOptions)
	const want = notValid + "Wasm module code section size of 12582913 exceeds the maximum allowed size of 12582912."
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestTailCallsAreAccepted(t *testing.T) {
	g := start(t, rewriteText(t, `(module (table 1 funcref) (elem (i32.const 0) $g) (type $t (func (param i32) (result i32)))
	  (func $g (type $t) local.get 0 i32.const 1 i32.add)
	  (func $f (export "f") (param i32) (result i32) local.get 0 i32.const 1000000 i32.ge_u if local.get 0 i32.const 0 return_call_indirect (type $t) end
	    local.get 0 i32.const 1 i32.add return_call $f))`, conformance))
	if got, err := g.call("f", 0); err != nil || got[0] != 1000001 {
		t.Errorf("%v %v", got, err)
	}
}
