// Package harness runs operations on forks of a network, one legal delivery at a time, for package search to choose.
//
// It owns the names of messages, the faults that can be planned for them, and the records of runs. It must not know
// which orders are tried, what a bug is, or its caller. It has no clock and no goroutine: only one goroutine may use a
// Harness, and another may use a fork of it.
//
// # Names
//
// A message is named by its lineage, not by ids of the network, which differ between orders:
//
//	op2                  the message of the user that begins operation 2
//	op2.again            the same message, where the user sends it twice
//	op2/1.request        the first call of a canister that serves operation 2, on its way to the callee
//	op2/1.reply          its answer, on its way back; a reject too
//	op2/1/3.request      the third call of the callee of op2/1
//	op2.slice2           the second slice of a long message
//	bank:timer1          the first time that the global timer of the canister bank runs; also heartbeat, low-memory
//	bank:timer1/1.reply  the answer to its first call
//
// Removing an operation leaves the names of the others alone. Calls are numbered by call context, in the order in which
// they are made: in equivalent orders they have the same numbers.
//
// # Faults
//
// A Plan lists faults by the names of messages. A fault changes how its message is delivered: the request is rejected
// instead of executed, the callback traps, the canister is upgraded before, time passes after it, and so on. All of
// them happen on mainnet; FaultKind says when.
package harness
