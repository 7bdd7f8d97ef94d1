// Package component reads and validates components, as the WebAssembly Component Model describes them, in the binary
// format of layer 1.
//
// It owns the binary reader, the type index spaces, subtyping and all rules of validation. It must not know canisters,
// networks or anything else of canisterd: it needs the engine (wazero) alone, and can be used without the rest.
//
// # From bytes to a valid component
//
//	read_*.go       bytes to definitions: sections in order, indices not resolved. A fault is a malformed component
//	core_*.go       core modules: their imports and exports. The engine validates their code
//	validate_*.go   definitions to index spaces: every index, name and type is checked. A fault is an invalid component
//	types.go        types as graphs. A resource is identified by its pointer; other types are structural
//	subtype*.go     whether a definition may be supplied where another one is expected
//	substitute.go   types of an instance: a component's type with the resources of its arguments
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
