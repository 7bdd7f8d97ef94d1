// Package canister is one canister: its module, its settings, its memories,
// its balance, and what happens when it executes a message.
//
// It owns the state of a canister apart from queues and call contexts, the
// rules of message execution (interface specification, "Canister
// interface (System API)" and "Message execution"), installation of code, the
// instruction and memory limits, and the texts of everything a canister can do
// wrong. A message is a transaction: it is committed whole or leaves the
// canister as it was.
//
// It must not know how messages reach a canister, who waits for the answer, what
// a round or a subnet's other canisters are: what it needs of them stands in
// Subnet and Message. It has no clock, starts no goroutine and does no I/O.
//
// # Goroutines
//
// A Canister has one owner: the executor while one of its messages runs,
// otherwise the subnet that holds it. An Engine and a Module may be used from any
// goroutine, and a QueryTarget on one other than its canister's. A Fork has an
// owner of its own, which may run it while its source runs.
package canister
