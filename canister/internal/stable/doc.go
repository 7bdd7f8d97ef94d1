// Package stable implements the stable memory of a canister: up to 500 GiB of bytes that are written as a transaction.
//
// It owns the page table of each memory, the uncommitted pages of a message, the snapshots that readers hold and the
// count of pages a message touched for the first time. It must not know what a page costs, canisters or readers.
//
// # How bytes are kept
//
// Committed bytes are in 4 KiB pages of the engine's checkpoint file, found through a radix tree; a page that was never
// written is absent and reads as zero. A message never overwrites a committed page: its writes are in a few buffers in
// memory, and above a limit in fresh pages of the file. Commit writes the buffers to fresh pages (Prepare, the part
// that may fail) and adds all of them to the tree; rollback discards them. So the cost of both depends on the written
// pages, a full disk is an error that keeps the committed state intact, and a snapshot is just the root of the tree.
//
// A fork is a second memory over the same tree, for a snapshot of the canister, a canister that loads it, or a network
// that was forked: each has its own root.
//
//	   memory           fork, snapshot
//	      |                   |  |
//	     node                 node            used by one; by two
//	    /    \_____        ____/  \
//	   /           \      /        \
//	[x' y]        [z z' ..]      [x y]        leaves: the middle one is used by two, the file page y belongs to two
//
// The users of nodes, and of file pages with several owners (owners), are counted when a node is copied and when a
// memory is closed; a shared node is skipped with its whole subtree. So forking 500 GiB costs as much as forking
// nothing, a commit costs the same with a thousand forks as without any, and closing a fork costs as much as its
// unshared part.
//
// Pages are written and freed in runs: adjacent pages of the memory are adjacent in the file if there is space, and a
// run is one system call. A few unused pages keep their space for the next message, unless the disk is full.
//
// The Go heap holds about five bytes of tree for every page ever written (0.1 %), the buffers, and nothing for
// untouched memory. Keeping the bytes on the Go heap would save the system calls of a commit, but make the process as
// large as the memory, 500 GiB.
//
// # Goroutines
//
// A memory has one owner, like the canister. Snapshot may be called from any goroutine, and each snapshot has its own
// owner.
package stable
