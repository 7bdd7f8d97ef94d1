// Package management is the management canister, aaaaa-aa (interface
// specification, "The IC management canister"): one file per method.
//
// It owns the methods' Candid types, their permission checks and texts, and the list of methods that users may call or
// query. It must not know rounds, queues or how an answer is delivered.
//
// # Interfaces
//
// The package implements state.Management and supplies a value of it to replica:
//
//	func New() state.Management
//
// The subnet dispatches every call to aaaaa-aa (and to a subnet's own id) to it, from users and from canisters, in
// order, between the messages of canisters:
//
//   - Sent is asked when a canister makes a call: a wrong sender_canister_version,
//     and a call that finds no subnet, are rejected before anything is sent;
//   - Effective is asked when a user's message arrives, before Admit;
//   - Admit says whether a user's message enters the state at all;
//   - Run executes a call, in a round. Everything a handler may do is in its state.ManagementCall: the caller (Caller, Sender,
//     FromUser), Attached cycles with Accept, the State, and what the Host offers;
//   - Query answers query calls on a state that stands still.
//
// A handler changes the State and returns an Answer: a reply, a reject, the Effect that the subnet applies first, such as
// UninstallCode, or WhenIdle (a message of the canister that it must change is not over: the subnet calls it again later,
// with the same contents). An effect can also give the answer later, as InstallCode, StopCanister and SendOutcall do. What
// is left of Attached when the answer is given is refunded with it.
//
// The list of methods is data (methods.go): the name of each method, its permitted callers by kind of message, its
// canister, and its handler. A new method needs a line there, its types in interface.go, and its own file.
//
// The methods with threshold keys make the value a state.Signer as well: Route returns the key of a call, so that it
// reaches a subnet that holds it, and Sign makes in the next round what askToSign has accepted and charged for. The
// keys are in State.Signing.
//
// Installing code is a message of the canister: the subnet charges in advance and runs it, possibly over many rounds,
// during which no other installation of the subnet starts; Installed receives the outcome and makes the answer. Time is
// State.Time; randomness is State.RandomBeacon; fees and limits are State.Environment.
package management
