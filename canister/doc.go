// Package canister runs one canister: its module, settings, memories, balance, and the execution of its messages.
//
// It owns the state of a canister except queues and call contexts, the rules of message execution (interface
// specification, "Canister interface (System API)" and "Message execution"), installation of code, the instruction and
// memory limits, and the texts of all errors of a canister. A message is a transaction: it is committed as a whole, or
// leaves the canister unchanged.
//
// It must not know how messages reach a canister, which caller waits for the answer, rounds, or the subnet's other
// canisters: Subnet and Message hold what it needs of them. It has no clock, starts no goroutine and does no I/O.
//
// # Goroutines
//
// A Canister has one owner: the executor while one of its messages runs, otherwise the subnet that holds it. An Engine
// and a Module may be used from any goroutine, and a QueryTarget on another goroutine than its canister's. A Fork has
// its own owner, which may run it while its source runs.
package canister
