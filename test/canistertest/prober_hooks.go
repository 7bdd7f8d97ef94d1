package canistertest

import "fmt"

// Addresses in the heap of a prober with hooks, above those of package prober's programs.
const (
	keptSizes    = 0x37f00 // sizes of the kept programs, 8 bytes each
	keptPrograms = 0x38000
	// KeptProgram is how large a kept program may be, in bytes.
	KeptProgram = 0x800
)

// Operations and closures of a prober with hooks, by their place in the table.
const (
	probeAnswering = 250
	probeLogging   = 251
	probeTrapping  = 252
	probeKeep      = 254
)

// Kept are the places for programs to keep. The first six are of hooks and of the query method
// "transformed"; the others are for the closures of calls.
var Kept = map[string]int{
	"pre-upgrade": 0, "heartbeat": 1, "timer": 2, "low-memory": 3, "inspect": 4, "transform": 5,
	"reply": 6, "reject": 7, "cleanup": 8, "other": 9,
}

// Closure is the two arguments of a call that make a closure which runs a kept program and
// then answers with what it said, logs that, or traps with that in hexadecimal: "answering",
// "logging" or "trapping".
func Closure(ending, kept string) (fn, env int, err error) {
	place, known := Kept[kept]
	fn, ends := map[string]int{"answering": probeAnswering, "logging": probeLogging, "trapping": probeTrapping}[ending]
	if !known || !ends {
		return 0, 0, fmt.Errorf("there is no closure %s:%s", ending, kept)
	}
	return fn, place, nil
}

// HookedProber is the prober with hooks that run kept programs: canister_pre_upgrade, the heartbeat,
// the timer and the hook for low memory log what the program said, and so does canister_post_upgrade with the
// program it is given; canister_inspect_message and the query method "transformed" trap with it. Without a program
// inspection accepts, and the others do nothing.
func HookedProber(wide bool) []byte { return assembleProber(prober{wide: wide, hooked: true}) }

const proberHooks = `(func $keep (local $place ptr)
  (local.set $place (call $number (ptr.const WORDS)))
  (ptr.store (ptr.add (ptr.const KEPTSIZES) (ptr.mul (local.get $place) (ptr.const 8))) (call $number (ptr.add (ptr.const WORDS) (ptr.const 16))))
  (memory.copy (ptr.add (ptr.const KEPTPROGRAMS) (ptr.mul (local.get $place) (ptr.const KEPTROOM)))
    (call $number (ptr.add (ptr.const WORDS) (ptr.const 8))) (call $number (ptr.add (ptr.const WORDS) (ptr.const 16)))))
(func $kept (param $place ptr) (result i32) (local $size ptr)
  (local.set $size (ptr.load (ptr.add (ptr.const KEPTSIZES) (ptr.mul (local.get $place) (ptr.const 8)))))
  (if (ptr.eq (local.get $size) (ptr.const 0)) (then (return (i32.const 0))))
  (global.set $size (local.get $size))
  (memory.copy (ptr.const PROGRAM) (ptr.add (ptr.const KEPTPROGRAMS) (ptr.mul (local.get $place) (ptr.const KEPTROOM))) (local.get $size))
  (call $perform)
  (i32.const 1))
(func $log (call $debug_print (ptr.const OUT) (ptr.sub (global.get $out) (ptr.const OUT))))
(func $digit (param $at ptr) (param $n i64)
  (i64.store8 (local.get $at) (i64.add (local.get $n) (select (i64.const 48) (i64.const 87) (i64.lt_u (local.get $n) (i64.const 10))))))
(func $spell (local $from ptr) (local $to ptr) (local $byte i64)
  (local.set $from (ptr.const OUT))
  (local.set $to (ptr.const PROGRAM))
  (block $done (loop $next
    (br_if $done (ptr.ge_u (local.get $from) (global.get $out)))
    (local.set $byte (i64.load8_u (local.get $from)))
    (call $digit (local.get $to) (i64.shr_u (local.get $byte) (i64.const 4)))
    (call $digit (ptr.add (local.get $to) (ptr.const 1)) (i64.and (local.get $byte) (i64.const 15)))
    (local.set $from (ptr.add (local.get $from) (ptr.const 1)))
    (local.set $to (ptr.add (local.get $to) (ptr.const 2)))
    (br $next)))
  (call $trap (ptr.const PROGRAM) (ptr.sub (local.get $to) (ptr.const PROGRAM))))
(func $hook (param $place ptr) (if (call $kept (local.get $place)) (then (call $log))))
(func $answering (param $place ptr) (drop (call $kept (local.get $place))) (call $answer))
(func $logging (param $place ptr) (drop (call $kept (local.get $place))) (call $log))
(func $trapping (param $place ptr) (drop (call $kept (local.get $place))) (call $spell))
(elem (ptr.const ANSWERING) $answering $logging $trapping)
(elem (ptr.const KEEP) $keep)
(func (export "canister_pre_upgrade") (call $hook (ptr.const 0)))
(func (export "canister_heartbeat") (call $hook (ptr.const 1)))
(func (export "canister_global_timer") (call $hook (ptr.const 2)))
(func (export "canister_on_low_wasm_memory") (call $hook (ptr.const 3)))
(func (export "canister_inspect_message") (if (call $kept (ptr.const 4)) (then (call $spell)) (else (call $accept_message))))
(func (export "canister_query transformed") (drop (call $kept (ptr.const 5))) (call $spell))
(func (export "canister_post_upgrade") (call $take) (call $perform) (call $log))
(func (export "canister_composite_query composing") (call $take) (call $perform))
`

// Keep appends the keeping of a program.
func (p *Probe) Keep(kept string, program *Probe) error {
	place, known := Kept[kept]
	bytes := program.Bytes()
	if !known || len(bytes) > KeptProgram {
		return fmt.Errorf("a program of %d bytes is not kept as %q", len(bytes), kept)
	}
	p.operation(probeKeep, "keep", nothing, Word{Number: uint64(place)}, Word{Bytes: bytes, Blob: true})
	return nil
}
