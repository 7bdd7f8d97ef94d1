// Package state is the replicated state of one subnet, in ordered containers, and the interface to the management
// canister.
//
// It owns the canisters of a subnet with what waits for them, the ingress history, the subnet's random beacon and its
// canister ids, and the types with which the management canister and the subnet communicate: ManagementCall, Answer with
// its Effect, Ticket, Host. It must not run anything: replica decides what runs and when. It must not know the management
// canister's methods.
package state
