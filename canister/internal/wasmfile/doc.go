// Package wasmfile reads and writes modules in the Wasm binary format, and renumbers the indices in their code.
//
// It owns the format of valid modules. It must not know which modules are valid (package rewrite does), nor what their
// functions do: its input was validated, and it panics for any other.
package wasmfile
