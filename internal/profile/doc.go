// Package profile keeps where canisters spent instructions: call trees with exact counts.
//
// It has two trees. A [Tree] is one run of a canister's code in the numbers of its module: a [Recorder] builds it from
// the functions that the run enters and leaves, and from the number of instructions at these moments. A [Profile] joins
// the trees of many messages and canisters under the symbols of their functions. A tree is added below the place where
// its message was sent, so a profile goes through awaits and from canister to canister:
//
//	withdraw (update) of bank
//	  bank::withdraw
//	    ic0.call_perform
//	    await ledger.transfer
//	      transfer (update) of ledger
//	        ledger::transfer
//	      reply callback of bank
//	        bank::withdraw::{{closure}}
//
// Counts are sums: no sample is taken and none is lost. A tree that has no room for another node counts what follows in
// the node at hand, and says so.
//
// It must not know modules, messages and networks: frames come in as numbers, and symbols from the caller.
package profile
