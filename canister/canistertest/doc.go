// Package canistertest has what tests of everything above the engine need: modules
// assembled from text, canisters with sensible surroundings, and the scriptable
// canister, whose messages are small programs.
//
// # The scriptable canister
//
// Scriptable gives a module whose update method "run", query method "query" and composite
// query method "ask" take a program as their argument and run it. Programs are written with
// Script. A program is a sequence of operations on a stack of 64-bit words; a word is a
// number or a blob (an address and a length in the canister's heap). Blobs of one message are
// forgotten at its end. What stays is stable memory, one page of heap (HeapBytes), one
// number (the register), and the programs of hooks.
//
// canister_init and canister_post_upgrade run their argument as a program too, an empty one
// does nothing. canister_pre_upgrade, canister_global_timer, canister_on_low_wasm_memory,
// canister_inspect_message and (ScriptableBeating only) canister_heartbeat run the program that
// the operation Hook has set for them; without one they do nothing, but
// canister_inspect_message, which accepts.
//
// Every sequence of bytes is a program: what makes no sense calls ic0.trap with a text that says why
// and at which byte of the program, and never does harm. An operation the context does not allow
// traps with the text of the System API. So random programs make good tests.
//
// Variant makes other versions of the canister: with a 64-bit memory, with a heartbeat, with
// enhanced orthogonal persistence.
//
// Calls keep the programs of their callbacks in one of 512 slots of 1,000 bytes in all
// until one of them has run to its end; a slot is lost where a callback traps and no
// cleanup program was given. No free slot, and longer programs, trap.
//
// Only tests may import it.
package canistertest
