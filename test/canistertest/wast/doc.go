// Package wast reads the script format of the official WebAssembly test suite.
//
// It owns the commands of a script as data: which module, which action, which
// expected result. It must not know how a module is compiled or run; who runs
// a script decides that, module by module, because a script may hold modules
// its reader would refuse.
package wast
