// Package wit writes the imports and exports of a component as WIT text, as wasm-tools component wit does.
//
// It owns the text. It must not know the binary format or how a component is run.
package wit
