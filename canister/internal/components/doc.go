// Package components links a component (component.Link) into one core module that a canister can have.
//
// It owns the linker, the runtime that it links in (runtime.wasm, of the C files in runtime), the WIT package ic:canister, and how
// types of WIT are types of Candid. It maps bytes to bytes; it must not know messages, nor which modules a canister may have: the
// linked module is validated like any other.
//
// # What is linked
//
//	core modules  those that the component instantiates become one: their functions, globals, tables and segments are put one
//	              after the other, and imports become references. One of them has a memory (merge.go)
//	runtime       tasks, subtasks, streams, futures, waitable sets, resources, Candid, the functions of ic:canister and of WASI. It is
//	              position-independent code: its data and stack are in memory that an allocator gives it in the start function
//	              (start.go)
//	tables        the types of exported functions, and of elements of streams and futures, for the runtime (tables.go, ends.go)
//	functions     that go between both: invoke calls an exported function by its number, with the core values in the slots at
//	              the beginning of the runtime's memory (functions.go)
//	exports       an update or query method for each exported function, the entry points of ic:canister, and the interface in
//	              Candid as metadata (interface.go)
//
// All state is in the memory and the globals of the module. So what is done with canisters can be done with it: rollback, forks,
// snapshots, journals, exploration.
package components

import _ "embed"

// runtime is the runtime, compiled (runtime/build.sh; with cgo, Go would compile C files that lie in a folder of Go files).
// Functions for the program are exported by the names of the canonical definitions and of the functions of ic:canister that
// they are.
//
//go:embed runtime.wasm
var runtime []byte
