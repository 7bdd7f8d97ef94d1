// Package checkpoint keeps the committed bytes of all memories of an engine in one sparse file: the heaps of the
// canisters (package wasm) and their stable memories (package stable).
//
// It owns the file, the allocation of extents in it and the window through which committed bytes are compared without a
// system call. It must not know pages of Wasm memory, canisters or messages.
//
// The file is scratch space of one process: it is unlinked if the system allows that, and nothing is read from it after
// a restart. It only grows: truncating it under a mapping would turn a read in compiled code into a fatal fault. Freed
// extents are punched, so that they take no space and read as zero again.
package checkpoint
