// Package component validates and runs components, as the WebAssembly Component Model describes them, in the binary format
// of layer 1, with the asynchronous ABI: tasks, streams, futures and cooperative threads.
//
// It owns the binary reader, the type index spaces, subtyping, all rules of validation, linking, handles, the Canonical ABI
// and the scheduling of tasks. It must not know canisters, networks or anything else of canisterd: it needs the engine
// (wazero) alone, and can be used without the rest.
//
// # From bytes to a valid component
//
//	read_*.go       bytes to definitions: sections in order, indices not resolved. A fault is a malformed component
//	core_*.go       core modules: their imports and exports. The engine validates their code; it has one memory in a
//	                module, so one with several is taken apart
//	validate_*.go   definitions to index spaces: every index, name and type is checked. A fault is an invalid component
//	types.go        types as graphs. A resource is identified by its pointer; other types are structural
//	subtype*.go     whether a definition may be supplied where another one is expected
//	substitute.go   types of an instance: a component's type with the resources of its arguments
//
// # From a valid component to values
//
//	run.go, call.go   what a host does: compile, instantiate, supply imports, call, wait, cancel
//	index_spaces.go   items by sort and index
//	instance.go       definitions again, to items of index spaces that are instances, functions and core modules
//	core_function.go  core items, and modules that only link others
//	shared_code.go    what is compiled once for all instances of a component
//	canon*.go         lift and the built-in functions
//	task.go           calls in the callee: when they start, their callbacks, results and cancellation
//	subtask.go        calls in the caller
//	thread.go         threads that wait, and the order in which they are resumed
//	stack.go          coroutines
//	schedule.go       choices that the specification leaves to a host
//	waitable.go       events and waitable sets
//	rendezvous.go, ends.go, host_ends.go   streams and futures: copies, ends in instances, ends of the host
//	resources.go, table.go   handles
//	lift.go, lower.go, strings.go, memory.go   values between core values or memory and Go
//	values.go         which Go values they are
//	memory_limit.go, footprint.go   what an instance may take, and what is counted
//
// For programs that make one module of a component, linking*.go evaluate the same definitions without running anything.
//
// The index spaces of an instance grow as those of its scope did in validation, so an index means the same in both, and
// static types are looked up in the scope. A resource of a static type is looked up in the instance ([instanceState.bind]).
// Values between components are Go values on their way. A trap is a panic with a [*Trap], which unwinds through the engine
// to the call from outside; then the whole tree of instances is dead.
//
// # Tasks, threads and stacks
//
// Each call is a task with a thread. One thread of a tree of instances runs at a time; another one runs when it calls, is
// blocked or ends. A task whose callback waits is a record of two small structures: its task and the subtask of its caller. Core
// code that is blocked keeps its stack, which is a coroutine of its own (iter.Pull): a goroutine that runs only while the one
// that resumed it waits, and that ends with its instance. Only components that import a built-in function that may block use
// coroutines; a synchronous function runs on the stack of its caller, and runs other threads of its instance there while it
// is blocked.
//
// Threads are resumed in the order in which they became ready, and every other choice has a fixed default, so a run depends
// on its inputs alone. A [Scheduler] makes all choices instead. Functions of the host that finish later are inputs: they come
// from any goroutine, and are taken between two threads.
//
// Reading and validation depend on the bytes alone: no clock, no state between calls, no I/O. Limits are in limits.go.
// Every fault has the offset of the definition that caused it.
//
// # The version of the specification
//
// The package follows WebAssembly/component-model at [SpecificationCommit]. Values as definitions (the start and value
// sections), nested names and 64-bit memories are refused.
package component

// SpecificationCommit is the commit of WebAssembly/component-model that the package follows.
const SpecificationCommit = "6d28164"
