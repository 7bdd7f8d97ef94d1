package canister_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// calling is a module whose methods "u" and "q" call one function with the arguments given.
func calling(name, memory string, wide bool, args ...string) string {
	for _, f := range systemFunctions() {
		if f.name != name {
			continue
		}
		var call strings.Builder
		for i, typ := range strings.Fields(watTypes(f.params, wide)) {
			fmt.Fprintf(&call, "(%s.const %s)", typ, args[i])
		}
		body := "(call $f " + call.String() + ")"
		if f.results != "" {
			body = "(drop " + body + ")"
		}
		return fmt.Sprintf(`(module (import "ic0" %q (func $f (param %s) (result %s))) %s
			(func $u (export "canister_update u") %s) (func (export "canister_query q") (call $u)))`,
			name, watTypes(f.params, wide), watTypes(f.results, wide), memory, body)
	}
	panic("no function " + name)
}

func TestWhatIsOutOfBoundsIsNamedWithItsNumbers(t *testing.T) {
	p := canistertest.NewPlace(t)
	const violated = "Canister violated contract: "
	for _, x := range []struct {
		name, memory string
		wide         bool
		args, text   string
	}{
		{"msg_arg_data_copy", "(memory 1)", false, "65530 0 10", violated + "ic0.msg_arg_data_copy heap: src=65530 + length=10 exceeds the slice size=65536"},
		{"msg_arg_data_copy", "(memory 1)", false, "0 1 3", violated + "ic0.msg_arg_data_copy payload: src=1 + length=3 exceeds the slice size=3"},
		{"msg_arg_data_copy", "(memory 1)", false, "-1 0 2", violated + "ic0.msg_arg_data_copy heap: src=4294967295 + length=2 exceeds the slice size=65536"},
		{"msg_arg_data_copy", "(memory i64 1)", true, "-1 0 1", violated + "ic0.msg_arg_data_copy heap: src=18446744073709551615 + length=1 is an invalid address"},
		{"msg_arg_data_copy", "(memory i64 1)", true, "0x100000000 0 0", violated + "ic0.msg_arg_data_copy heap: src=4294967296 + length=0 exceeds the slice size=65536"},
		{"msg_arg_data_copy", "", false, "0 0 1", violated + "WebAssembly module must define memory"},
		{"msg_caller_copy", "(memory 1)", false, "0 30 1", violated + "ic0.msg_caller_copy id: src=30 + length=1 exceeds the slice size=29"},
		{"msg_reply_data_append", "(memory 1)", false, "65536 1", violated + "msg.reply: src=65536 + length=1 exceeds the slice size=65536"},
		{"call_new", "(memory 1)", false, "65536 1 0 0 0 0 0 0", violated + "ic0.call_new callee_src: src=65536 + length=1 exceeds the slice size=65536"},
		{"call_new", "(memory 1)", false, "0 1 65536 1 0 0 0 0", violated + "ic0.call_new method_name: src=65536 + length=1 exceeds the slice size=65536"},
		{"is_controller", "(memory 1)", false, "65536 1", violated + "ic0.is_controller: src=65536 + length=1 exceeds the slice size=65536"},
		{"is_controller", "(memory 1)", false, "0 30", "Canister provided invalid principal id"},
		{
			"canister_cycle_balance128", "(memory 1)", false, "65521",
			violated + "ic0_canister_cycle_balance128 failed because dst + size is out of bounds.Found dst = 65521 and size = 16 while must be <= 65536",
		},
		{
			"certified_data_set", "(memory 1)", false, "65536 1",
			violated + "ic0_certified_data_set failed because src + size is out of bounds. Found src = 65536 and size = 1 while src + size must be <= 65536",
		},
		{"cost_sign_with_ecdsa", "(memory 1)", false, "65536 1 0 0", violated + "ic0.cost_sign_with_ecdsa heap: src=65536 + length=1 exceeds the slice size=65536"},
		{"trap", "(memory 1)", false, "65536 1", "Canister called `ic0.trap` with message: '(trap message out of memory bounds)'"},
		{"trap", "", false, "0 0", violated + "WebAssembly module must define memory"},
		{"debug_print", "", false, "0 0", violated + "WebAssembly module must define memory"},
		{"msg_caller_copy", "", false, "0 0 0", violated + "WebAssembly module must define memory"},
		{"data_certificate_copy", "", false, "0 0 0", violated + "WebAssembly module must define memory"},
		{"call_on_cleanup", "", false, "0 0", violated + "ic0.call_on_cleanup called when no call is under construction."},
	} {
		c := p.Canister(p.Wat(calling(x.name, x.memory, x.wide, strings.Fields(x.args)...)), nil)
		out := p.Update(c, "u", []byte("arg"))
		if out.Failure == nil {
			t.Errorf("%s(%s) does not trap", x.name, x.args)
			continue
		}
		failed(t, c, out, out.Failure.Error, x.text)
	}
}

func TestACertificateOutOfBoundsIsNamedWithItsNumbers(t *testing.T) {
	p := canistertest.NewPlace(t)
	for args, text := range map[string]string{
		"0 4 2":     "ic0_data_certificate_copy failed because offset + size is out of bounds. Found offset = 4 and size = 2 while offset + size must be <= 5",
		"65535 0 2": "ic0_data_certificate_copy failed because dst + size is out of bounds. Found dst = 65535 and size = 2 while dst + size must be <= 65536",
	} {
		c := p.Canister(p.Wat(calling("data_certificate_copy", "(memory 1)", false, strings.Fields(args)...)), nil)
		q, _ := c.PrepareQuery()
		out := q.Run(&p.Subnet, &canister.Message{Context: canister.Query, Method: "q", Certificate: []byte("proof")})
		q.Release()
		failed(t, c, out, intercanister.CanisterContractViolation, "Canister violated contract: "+text)
	}
}

func TestStableMemoryTrapsAtBothOfItsEnds(t *testing.T) {
	p := canistertest.NewPlace(t)
	for args, text := range map[string]string{
		"stable_read 0 0 1": "stable memory out of bounds", "stable_write 0 0 1": "stable memory out of bounds",
		"stable_write 1 0 0":   "stable memory out of bounds",
		"stable64_read 0 -1 2": "stable memory out of bounds", "stable64_write -1 0 2": "stable memory out of bounds",
		// A length of 2^64-1 and 20 instructions are 19.
		"stable64_read 0 0 -1": "stable memory out of bounds", "stable64_write 0 0 -20": "stable memory out of bounds",
	} {
		name, rest, _ := strings.Cut(args, " ")
		c := p.Canister(p.Wat(calling(name, "(memory 1)", false, strings.Fields(rest)...)), nil)
		out := p.Update(c, "u", nil)
		failed(t, c, out, intercanister.CanisterTrapped, "Canister trapped: "+text)
	}
}

func TestReadingAndWritingNothingIsFine(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, args := range []string{"stable_read 0 1 0", "stable_read -1 -1 0", "stable_write 0 -1 0", "stable64_read -1 -1 0", "stable64_write -1 -1 0"} {
		name, rest, _ := strings.Cut(args, " ")
		c := p.Canister(p.Wat(calling(name, "(memory 1)", false, strings.Fields(rest)...)), nil)
		if out := p.Update(c, "u", nil); out.Failure != nil {
			t.Errorf("%s: %s", args, out.Failure)
		}
	}
}

func TestTheHeapSideOfAStableCopyIsChecked(t *testing.T) {
	p := canistertest.NewPlace(t)
	for _, call := range []string{"$read (i64.const 65530) (i64.const 0) (i64.const 10)", "$write (i64.const 0) (i64.const 65530) (i64.const 10)", "$read (i64.const -1) (i64.const 0) (i64.const 10)"} {
		c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
			(import "ic0" "stable64_read" (func $read (param i64 i64 i64))) (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
			(memory 1) (func (export "canister_update u") (drop (call $grow (i64.const 1))) (call %s)))`, call)), nil)
		failed(t, c, p.Update(c, "u", nil), intercanister.CanisterTrapped, "Canister trapped: heap out of bounds")
	}
}

// A message may access one page and copies two, so that the order shows: an address is held against the largest heap
// there can be before pages are counted, and against this heap afterwards.
func TestAddressesBeyondAnyHeapAreRefusedBeforePagesAreCounted(t *testing.T) {
	p := canistertest.NewPlace(t)
	p.Subnet.Limits.StablePages = 1
	for _, x := range []struct {
		memory string
		last   int // address
	}{{"(memory 1)", 1<<32 - 1}, {"(memory i64 1)", 6 << 30}} {
		for _, call := range []string{"$read (i64.const %d) (i64.const 0)", "$write (i64.const 0) (i64.const %d)"} {
			for _, beyond := range []int{0, 1} {
				call := fmt.Sprintf(call, x.last+beyond)
				c := p.Canister(p.Wat(fmt.Sprintf(`(module (import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
					(import "ic0" "stable64_read" (func $read (param i64 i64 i64))) (import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
					%s (func (export "canister_update u") (drop (call $grow (i64.const 1))) (call %s (i64.const 8192))))`, x.memory, call)), nil)
				out := p.Update(c, "u", nil)
				if beyond > 0 {
					failed(t, c, out, intercanister.CanisterTrapped, "Canister trapped: heap out of bounds")
					continue
				}
				failed(t, c, out, intercanister.CanisterMemoryAccessLimitExceeded, "Canister exceeded memory access limits: "+
					"Exceeded the limit for the number of accessed pages in the stable memory in a single message execution: limit 4 KB for regular messages and 1048576 KB for queries.")
			}
		}
	}
}

func TestDebugPrintNeverTraps(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(calling("debug_print", "(memory 1)", false, "65536", "1")), nil)
	if out := p.Update(c, "u", nil); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if got := string(c.Logs.At(0).Content); got != "(debug_print message out of memory bounds)" {
		t.Errorf("the log says %q", got)
	}
}
