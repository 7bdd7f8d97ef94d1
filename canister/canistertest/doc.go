// Package canistertest is what tests need to have canisters: assembled modules,
// Motoko fixtures, an engine that goes away with the test, and the scriptable
// canister.
//
// The scriptable canister is one module, in a 32-bit and a 64-bit version, whose
// behaviour is a program handed to it as the argument of a message. A Program is
// written in Go (Script), in one line of text (Parse) or drawn at random
// (RandomProgram). The module interprets it byte by byte; a program that makes no
// sense traps with a message and never leaves the interpreter.
//
// It owns the module, its byte code and the two notations. It must not know what a
// replica is, and judges nothing: it gives canisters, the test says what they
// should do. Only tests may import it.
package canistertest
