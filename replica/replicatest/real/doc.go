// Package real is support for tests of the machine with nothing replaced: the
// engine, the management canister, and canisters whose code is Wasm.
//
// It owns the means to make such networks and to speak to them (Stage), and a
// harness for golden scripts over the scriptable canister of package canistertest
// (Scripts). It must not know how the machine works inside.
package real
