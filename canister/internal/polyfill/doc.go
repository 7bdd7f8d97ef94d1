// Package polyfill turns a module that needs WASI preview 1 into one that needs only the System API, so that the
// Internet Computer can run it.
//
// It owns polyfill.wat, which has the functions of WASI, and the linker that puts them into a module. It maps bytes to
// bytes; it must not know messages, nor which modules are valid: its input was validated.
//
// # What is linked
//
//	imports      those of wasi_snapshot_preview1 become functions of the module; what they need of the System API is
//	             imported
//	memory       is one page larger. The last page is not the program's: memory.size and memory.grow become calls that
//	             hide it, and it moves when the memory grows. So no allocator of a program takes it
//	initializer  the start function, or else the export _initialize, runs at the beginning of canister_init and of
//	             canister_post_upgrade: a start function may not ask for the time. Both are added if they are missing
//	exports      canister_update_hi becomes "canister_update hi". An entry point logs the line that a stream has begun
//	             when it returns
//	sections     only the names of functions and the metadata (icp:) are kept: all positions in the code change
//
// Only functions that the module can reach are added.
package polyfill

import _ "embed"

// library is polyfill.wat, assembled. Its functions are exported by the names of WASI.
//
//go:embed polyfill.wasm
var library []byte
