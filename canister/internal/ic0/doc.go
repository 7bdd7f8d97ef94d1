// Package ic0 implements the System API: the functions of the modules ic0 (32-bit memory) and ic0_64 (64-bit memory)
// that a canister imports.
//
// It owns the table of functions with their signatures, contexts and charges, and their effects on the current
// execution. One file holds one family: message, response, call, cycles, stable memory, certified data, time,
// environment, cost, logging. It must not know how a message is started, committed or rolled back, nor how the engine
// works beyond package wasm's guest.
//
// A comment at each function lists its parameters in order, its result, their units, and when it traps, with the text.
// Three traps are common to all and not repeated there: a function called in a wrong context ("… cannot be executed in
// … mode"), a range outside the heap ("src=… + length=… exceeds the slice size=…"), and for functions named copy a
// range outside the data. All traps end the message with IC0504, except traps of the code itself ("Canister trapped:
// …", IC0502). The section is "System imports" of the interface specification.
package ic0
