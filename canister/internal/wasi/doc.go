// Package wasi implements WASI preview 1 for canisters: the 19 functions of wasi_snapshot_preview1 that programs
// without files need. A canister may import them only with the feature wasi: the Internet Computer has none of them.
//
// It owns the table of functions with their types and prices, and their effects on the current execution. It must not
// know how a message is started, committed or parked, nor which modules may import the functions.
//
// # What a program sees
//
// Everything comes from the message and its canister, so that a fork, an import or a replay sees the same.
//
//	streams      descriptors 1 and 2 go to the canister's log, a record for each line; a line that a message does not
//	             end is a record at the end of the message. Descriptor 0 is at its end
//	files        none: no other descriptor is open, and no folder is preopened
//	arguments    none
//	environment  the environment variables of the canister, NAME=VALUE, sorted by name
//	clocks       realtime and monotonic are ic0.time: the time of the message. After poll_oneoff has waited they are the
//	             time at which the message went on
//	randomness   a stream made of the random beacon of the subnet, the canister, its version, the time and the message.
//	             Queries on one state draw the same bytes
//	proc_exit    0 ends the message with success and commits it; any other code is a trap
//
// All functions may be called in every context, including the start function. A pointer that is out of bounds causes
// EFAULT; the message continues.
//
// # Waiting
//
// poll_oneoff returns at once if a subscription is ready: a stream always is, a clock when its time has come. If
// nothing is ready, an update or a task of the canister waits: the message is parked until the earliest time that it
// waits for, and the canister takes no other message until it ends. In all other contexts (queries,
// canister_inspect_message, callbacks, installations), waiting is not possible and poll_oneoff returns ENOTSUP.
//
// # Prices
//
// Each call costs 500 instructions, before anything else. Each copied byte costs one instruction; output to the log
// additionally costs what it costs with debug_print.
package wasi
