// Package wasm is the only place that compiles and instantiates Wasm. It runs one message on one canister's Wasm state
// and makes the outcome a transaction: commit all of it or none.
//
// It owns the engine (wazero), the cache of compiled code and of rewritten modules, the heaps and mutable globals of
// all canisters, their life cycle (resident or evicted), the instruction slices and the mapping from engine errors to
// typed traps. It must not know what a message, a System API function, a cycle or a canister id is: host functions and
// policies are handed in.
//
// # State
//
// The committed bytes of a heap live in one sparse checkpoint file, in a slot made of extents. A resident guest maps
// them MAP_PRIVATE: what a message writes becomes private pages, and commit and rollback look at those alone, so their
// cost follows the pages written and never the size of the heap. Blocks of a heap that were never written are anonymous
// memory until a page of theirs is committed: through a private mapping of a file in memory, a write to a hole takes a
// page of the file beside the private one. A commit that writes many pages gives the private ones up as it goes on, so
// that nothing is held twice. Where the system cannot list private pages the heap is a plain copy with a shadow (see
// [HeapKind]).
//
// # Forks
//
// A fork ([Guest.SnapshotRoot], then [SnapshotRoot.Guest]) is a second guest with the same bytes, an image
// ([Guest.Freeze]) is a heap at one time. Either makes what the slot has a base layer, which never changes again, and
// puts both on it: no byte is copied and no mapping changes. What is written afterwards goes to extents of the writer's
// own, at the same place in them as in the heap.
//
//	slot of g   [ . . W . . . ]     slot of its fork   [ V . . . . . ]    own pages
//	                    \                                /
//	layer              [ A B C . E . ]                                    shared, until its last owner goes
//	                          |
//	layer              [ a b c d . f ]
//
//	g reads a heap of  A B W d E f, its fork one of  V B C d E f
//
// A page is read from the topmost layer that has it. The heap of a resident guest maps each run of pages from its
// place; a page that was written first since the fork stays private, and its mapping is replaced when the private page
// is dropped. Three things keep this small (settle): an unshared layer is merged with the layer above it, so a closed
// fork leaves nothing; a layer whose visible pages are at most twice the pages above it is copied up and released, so
// layers stay few, however often a guest is forked, and the copying is in proportion to the writing; and past a number
// of runs, which cost mappings, the smallest gaps between them are copied, so that they join. A commit does this after
// its own work, and a lack of space puts it off.
//
// Guests of explorations are volatile: they commit to memory, and their instances outlive them (volatile.go).
//
// # Goroutines
//
// A guest has one owner; one goroutine at a time calls its methods, and a message may be finished on another goroutine
// than it was begun on. Engine methods and [Guest.Snapshot] may be called from anywhere. This is the one package of the
// core that locks, maps files and does I/O (its checkpoint file and its cache); nothing of that is visible in results.
//
// # Properties of the engine that shape the code
//
// A page fault that fails inside compiled code kills the process, so nothing is ever protected against writing and no
// file is cut under a mapping. Compiled code cannot be preempted: the instruction counter is granted in slices small
// enough that a garbage collection waits milliseconds, and bulk operations run in pieces (PieceBytes). For the same
// reason Go code here copies and compares large ranges in pieces: the runtime cannot interrupt one call of copy either.
// Memory cannot shrink, so a message that grew it and is rolled back loses its instance.
package wasm
