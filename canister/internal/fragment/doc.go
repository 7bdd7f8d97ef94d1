// Package fragment cuts a module into fragments, so that its first functions run before all of them are compiled.
//
// It owns the form of the cut module: a base and any number of fragments, each of which is a module. It maps bytes to
// bytes; it must not know which functions run, nor who compiles and instantiates the modules.
//
// # What is where
//
//	base       memory, globals, tables and data segments of the module, and no function of it
//	fragment   some functions, which import all of that from the base
//
// The bodies of the functions stay as they are, except for calls. The base has one more table, with an entry for each
// function. A call of a function outside of the fragment goes through this table:
//
//	call f     callee = f; call_indirect through entry f
//
// An entry has a trampoline until its function is loaded: the trampoline asks the host to load the function that is in the global
// callee, which puts it into the entry, and then calls the entry again by a tail call. So a backtrace has no frame of a
// trampoline, and functions are compiled in the order in which they are first called. The entries of the module's own table
// have trampolines of the same kind: an indirect call sets callee to the entry.
//
// The engine makes no tail call with more values than it has registers for. A function of such a type is loaded by a
// check in front of the call.
//
// Instructions on data segments become calls of the host, since each module has its own segments.
package fragment
