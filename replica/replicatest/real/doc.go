// Package real supports tests of package replica with nothing replaced: the engine, the management canister, and
// canisters whose code is Wasm.
//
// It owns a network with methods to call it (Stage), and a harness for golden scripts over the scriptable canister of
// package canistertest (Scripts). It must not know the internals of the network.
package real
