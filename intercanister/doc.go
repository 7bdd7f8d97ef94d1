// Package intercanister is the vocabulary and the call table: what a
// request, a response, a reject and a call context are, and the tables that
// hold the pending ones.
//
// It owns identifiers of calls and contexts, reject and error codes, the
// future table, the call contexts and the queues between canisters. It must not
// know what a canister executes, how a message is run, or what a subnet is.
package intercanister
