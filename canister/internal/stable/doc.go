// Package stable is the stable memory of a canister: up to 500 GiB of bytes that are written as a transaction.
//
// It owns the page table of each memory, the pages a message has written and not committed, the snapshots that readers
// hold and the count of pages a message touched for the first time. It must not know what a page costs, what a canister
// is or who reads.
//
// # How bytes are kept
//
// Committed bytes live in 4 KiB pages of the engine's checkpoint file, found through a radix tree; a page never written
// is not there and reads as zero. A message never overwrites a committed page: what it writes stands in a few buffers
// in memory, and past a bound in fresh pages of the file. Commit writes the buffers to fresh pages (Prepare, the part
// that may fail) and enters all of them in the tree; rollback forgets them. So both follow the pages written, a full
// disk is an error that leaves the committed state whole, and a snapshot is the root of the tree as it is.
//
// A fork is a second memory over the same tree, for a snapshot of the canister, one that loads it or a network that was
// forked: each has a root of its own.
//
//	   memory           fork, snapshot
//	      |                   |  |
//	     node                 node            used by one; by two
//	    /    \_____        ____/  \
//	   /           \      /        \
//	[x' y]        [z z' ..]      [x y]        leaves: the middle one is used by two, the file page y belongs to two
//
// Nodes, and file pages where there are several owners (owners), are counted when a node is copied and when a memory
// goes; a shared node is skipped with its whole subtree. So forking 500 GiB costs as much as forking nothing, a commit
// costs the same among a thousand forks as without any, and closing a fork costs as much as its unshared part.
//
// Pages are written, and their space is given back, in runs: what lies side by side in the memory lies so in the file
// wherever there is room for that, and a run is one system call. A few unused pages keep their space for the next
// message, unless the disk is full.
//
// The Go heap holds about five bytes of tree for every page ever written (0.1 %), the buffers, and nothing for
// untouched memory. Bytes on the Go heap would save the system calls of a commit, and make 500 GiB the size of the
// process.
//
// # Goroutines
//
// A memory has one owner, like the canister. Snapshot may be called from any goroutine, and each snapshot has an owner
// of its own.
package stable
