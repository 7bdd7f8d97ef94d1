// Package checkpoint is the one sparse file in which an engine keeps the committed bytes of every memory it owns: the
// heaps of the canisters (package wasm) and their stable memories (package stable).
//
// It owns the file, the allocation of extents in it and the window through which committed bytes are compared without a
// system call. It must not know what a page of Wasm memory, a canister or a message is.
//
// The file is scratch space of one process: it is unlinked where the system allows that, and nothing is read from it
// after a restart. It only ever grows: cutting it under a mapping would turn a read in compiled code into a fatal
// fault. Freed extents are punched, so that they cost nothing and read as zero again.
package checkpoint
