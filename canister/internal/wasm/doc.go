// Package wasm is the only place that compiles and instantiates Wasm. It runs one message on one canister's Wasm state and makes the
// outcome a transaction: commit all of it or none.
//
// It owns the engine (wazero), the cache of compiled code and of rewritten modules, the heaps and mutable globals of all canisters, their
// life cycle (live or asleep), the instruction slices and the mapping from engine errors to typed traps. It must not know what a message, a
// System API function, a cycle or a canister id is: host functions and policies are handed in. The packages canister and canister/internal/ic0
// (and tests) import it; it imports rewrite for the modules and checkpoint for the bytes.
//
// # State
//
// The committed bytes of a heap live in one sparse checkpoint file, in a slot made of extents. A live guest maps them MAP_PRIVATE: what a message
// writes becomes private pages, and commit and rollback look at those alone, so their cost follows the pages written and never the
// size of the heap. Where the system cannot list private pages the heap is a plain copy with a shadow (see [HeapKind]).
//
// An image ([Guest.Freeze]) is a heap at one moment. It is the slot itself, until a commit overwrites a page: then the old page goes to a slot of
// the image's own. So taking one costs nothing, and a commit pays for the pages it is the first to change. Loading one copies the pages that were
// ever written from file to file.
//
// # Goroutines
//
// A guest has one owner; one goroutine at a time calls its methods, and a message may be finished on another goroutine than it was begun on.
// Engine methods and [Guest.Snapshot] may be called from anywhere. This is the one package of the core that locks, maps files
// and does I/O (its checkpoint file and its cache); nothing of that is visible in results.
//
// # Facts about the engine that shape the code
//
// A page fault that fails inside compiled code kills the process, so nothing is ever protected against writing and no file is
// cut under a mapping. Compiled code cannot be preempted: the instruction counter is granted in slices small enough that a garbage collection waits
// milliseconds. Memory cannot shrink, so a message that grew it and is rolled back loses its instance.
package wasm
