// Package intercanister defines requests, responses, rejects and call contexts, and the tables of pending ones: the
// call table, queues and mailboxes.
//
// It owns identifiers of calls and contexts, reject and error codes, the future table, the call contexts and the queues
// between canisters. It must not know what a canister executes, how a message is run, or what a subnet is.
package intercanister
