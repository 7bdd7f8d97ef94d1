// Package wasm is the only place that compiles and instantiates Wasm. It runs one message on one canister's Wasm state
// and makes the result a transaction: all of it is committed, or none.
//
// It owns the engine (wazero), the cache of compiled code and of rewritten modules, the heaps and mutable globals of
// all canisters, their life cycle (resident or evicted), the instruction slices and the mapping from engine errors to
// typed traps. It must not know messages, System API functions, cycles or canister ids: callers provide host functions
// and policies.
//
// # State
//
// The committed bytes of a heap are in one sparse checkpoint file, in a slot made of extents. A resident guest maps
// them MAP_PRIVATE: pages that a message writes become private, and commit and rollback visit only those, so their cost
// depends on the written pages and not on the size of the heap. Blocks of a heap that were never written are anonymous
// memory until one of their pages is committed: through a private mapping of a file in memory, a write to a hole takes
// a page of the file in addition to the private one. A commit that writes many pages drops the private ones as it
// proceeds, so that nothing is held twice. If the system cannot list private pages, the heap is a plain copy with a
// shadow (see [HeapKind]).
//
// # Forks
//
// A fork ([Guest.SnapshotRoot], then [SnapshotRoot.Guest]) is a second guest with the same bytes, and an image
// ([Guest.Freeze]) is a heap at one time. Both turn the content of the slot into a base layer, which never changes
// again, and share it: no byte is copied and no mapping changes. Later writes go to the writer's own extents, at the
// same offsets as in the heap.
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
// place. A page that was first written after the fork stays private, and its mapping is replaced when the private page
// is dropped. Three steps keep this small (settle). An unshared layer is merged with the layer above it, so a closed
// fork leaves nothing. A layer whose visible pages are at most twice the pages above it is copied up and released, so
// layers stay few, however often a guest is forked, and the copying is proportional to the writing. Above a number of
// runs, which cost mappings, the smallest gaps between them are copied to join them. A commit does this after its own
// work, and defers it if space is short.
//
// A guest that ran nothing for a while is evicted ([Engine.EvictIdle]). Guests of one code then share the pages that are
// equal in them as a layer (common.go).
//
// Guests of explorations are volatile: they commit to memory, and their instances outlive them (volatile.go).
//
// # Fragments
//
// A module that takes long to compile runs in fragments meanwhile (package fragment): each function is compiled when a
// guest first calls it. A guest changes to the compiled module between two messages, as if it had been evicted. What it
// does is the same in both ways (fragments.go).
//
// # Goroutines
//
// A guest has one owner. One goroutine at a time calls its methods, and a message may be finished on another goroutine
// than the one that began it. Engine methods and [Guest.Snapshot] may be called from anywhere. This is the only package
// of the core that locks, maps files and does I/O (its checkpoint file and its cache); results do not depend on it.
//
// # Properties of the engine that shape the code
//
// A page fault that fails inside compiled code kills the process, so no page is write-protected and no file is
// truncated under a mapping. Compiled code cannot be preempted: the instruction counter is granted in slices small
// enough that a garbage collection waits milliseconds, and bulk operations run in pieces (PieceBytes). For the same
// reason, Go code here copies and compares large ranges in pieces: the runtime cannot interrupt a call of copy either.
// Memory cannot shrink, so a message that grew it and is rolled back loses its instance.
package wasm
