// Package ic0 is the System API: the functions of the modules ic0 (32-bit
// memory) and ic0_64 (64-bit memory) that a canister imports.
//
// It owns the table of functions with their signatures, contexts and charges, and what
// each does to the execution it is called in. One file holds one family: message,
// response, call, cycles, stable memory, certified data, time, environment, cost,
// logging. It must not know how a message is started, committed or rolled back,
// nor how the engine works beyond package wasm's guest.
package ic0
