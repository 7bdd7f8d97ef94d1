package canister

import "github.com/canisterd/canisterd/intercanister"

// Execute runs the message as a transaction on c. On return the Wasm state,
// Certified, Timer, Balance (accepted, attached, prepaid and burned cycles), Consumed,
// Logs and Version are what the outcome says: all changed, or, after a failure,
// none but Logs. A query method changes only Balance and Logs.
//
// The canister must have a module; a method it does not export gives IC0536. For
// a callback Execute runs the reply or reject closure with 95 % of the limit; if it
// fails, the cleanup closure with the rest; both are in one Outcome.
//
// Prepaid execution is the caller's business: before Execute the balance lacks it,
// and the refund is computed from Outcome.Instructions.
func (c *Canister) Execute(sub *Subnet, m *Message) Outcome { panic("canister: Execute") }

// Install runs install_code as one transaction over start, canister_init or
// canister_pre_upgrade, start, canister_post_upgrade (interface specification, "IC method
// install_code"). On success the canister has the new module, Version counted up and an
// entry in the history; after a failure it is as before, but for Logs.
func (c *Canister) Install(sub *Subnet, in *Install) Outcome { panic("canister: Install") }

// QueryTarget is the state of a canister at the time it was prepared, for one query
// on any goroutine while the canister itself goes on. It must be released.
type QueryTarget struct{}

// PrepareQuery takes hold of the last committed state. It rejects an empty canister
// (IC0537), and may be called while a message of the canister is paused.
func (c *Canister) PrepareQuery() (*QueryTarget, *intercanister.Reject) {
	panic("canister: PrepareQuery")
}

// Run runs a query, transform or inspect_message on the state and changes nothing.
func (q *QueryTarget) Run(sub *Subnet, m *Message) Outcome { panic("canister: Run") }

// Release gives the state back.
func (q *QueryTarget) Release() {}
