// Package wave reads and writes values of components as text, in the Web Assembly Value Encoding of wasm-tools: arguments and
// results as wasmtime run --invoke has them.
//
// It owns the syntax. It must not know how a component is run.
//
// Resources, streams, futures and error contexts have no text. A map is written as a list of tuples of key and value: the
// encoding has none.
package wave
