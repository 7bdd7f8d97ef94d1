// Package state is the replicated state of one subnet, held in ordered
// containers, and the plug of the management canister.
//
// It owns the canisters of a subnet with what waits for them, the ingress
// history, the subnet's random beacon and its canister ids, and the words in
// which the management canister speaks to the subnet: Command, Answer, Ticket,
// Host. It must not run anything: who runs what, and when, is replica's
// business. It must not know the management canister's methods.
package state
