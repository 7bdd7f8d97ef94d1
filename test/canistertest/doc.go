// Package canistertest has what tests of everything above the engine need: modules
// assembled from text, fixtures in Motoko, Rust and C, canisters with sensible surroundings, and the
// scriptable canister, whose messages are small programs.
//
// It judges nothing: it gives canisters, and the test says what they should do. It must not know
// what a replica is.
//
// # The scriptable canister
//
// Scriptable gives a module whose update method "run", query method "query" and composite
// query method "ask" take a program as their argument and run it. Variant makes other versions:
// with a 64-bit memory, with a heartbeat, with enhanced orthogonal persistence. Programs are
// written in Go (Script), in one line of text (Parse), or drawn at random (RandomProgram,
// RandomOperations).
//
// A program is a sequence of operations on a stack of 64-bit words; a word is a
// number or a blob (an address and a length in the canister's heap). Blobs of one message are
// forgotten at its end. What stays is stable memory, one page of heap (HeapBytes), one
// number (the register, a mutable global), and the programs of hooks.
//
// canister_init and canister_post_upgrade run their argument as a program too, an empty one
// does nothing. canister_pre_upgrade, canister_global_timer, canister_on_low_wasm_memory,
// canister_inspect_message and (where the Variant is Heartbeat) canister_heartbeat run the program
// that the operation Hook has set for them; without one they do nothing, but
// canister_inspect_message, which accepts.
//
// Every sequence of bytes is a program: what makes no sense calls ic0.trap with a text that says why
// and at which byte of the program, and never does harm. An operation the context does not allow
// traps with the text of the System API.
//
// Calls keep the programs of their callbacks in one of 512 slots of 1,000 bytes in all
// until one of them has run to its end; a slot is lost where a callback traps and no
// cleanup program was given. No free slot, and longer programs, trap.
//
// # Programs as text
//
//	call B.run(reply "x") cycles 100 on-reply(reply "got " + arg); heap-write 0, "sent"
//
// A program is statements with ; between them:
//
//	reply VALUE                 replies; reply alone sends what append collected
//	append VALUE, reject VALUE, trap VALUE, print VALUE, certify VALUE
//	set NUMBER                  the register, which get reads
//	heap-write NUMBER, VALUE    at an offset; stable-write the same
//	drop VALUE                  computes and forgets: drop accept(100)
//	if NUMBER {PROGRAM}         unless the number is 0
//	repeat NUMBER {PROGRAM}
//	stop                        ends the program, or the braces it is in
//	on HOOK {PROGRAM}           pre-upgrade, timer, low-memory, inspect or heartbeat
//	call CANISTER.METHOD(ARGUMENT) OPTIONS
//	spin NUMBER, touch NUMBER   turns of a loop; 4 KiB pages of heap to change
//	accept-message, unreachable, stray, recurse, absent
//
// and the rest of the table in operations.go. The argument of a call is a program or a value, and
// so are its options, each at most once, in any order:
//
//	cycles NUMBER               attaches cycles
//	within NUMBER               seconds: a best-effort call
//	on-reply(PROGRAM)           arg is the reply then
//	on-reject(PROGRAM)          reject-code and reject-message say why
//	on-cleanup(PROGRAM)         default: no cleanup closure
//	not-sent(PROGRAM)           where ic0.call_perform does not give 0
//
// Values are bytes: "text" with the escapes \n \t \" \\ and \7f, 0x00ff, {PROGRAM}, @aaaaa-aa,
// the names given to Parse (B), operations (arg, caller, self, balance, slice("abc", 0, 2),
// heap-read(0, 8), ...), and two of them joined with +. Numbers are decimal, 1_000, or operations
// (time, get, add(get, 1), less(1, 2), length(arg), integer("8 bytes.."), stable-grow(1), ...).
// A number where bytes are taken becomes its 8 bytes, little-endian. Amounts of cycles are 16 bytes.
//
// Operands that are not written come from the stack, the first ones first; push VALUE, dup and swap
// work on it. raw 0x00 is bytes as they are. Program.String prints any program so that Parse reads the same bytes.
package canistertest
