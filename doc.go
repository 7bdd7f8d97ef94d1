// Package canisterd is an Internet Computer for Go tests: a network of canisters in the process of the test, without a
// binary, a port or a file. A test deploys modules, calls them with Go values, moves time, holds messages, and goes back
// to snapshots:
//
//	func TestWithdraw(t *testing.T) {
//		ic := canisterd.New(t)
//		bank := ic.Deploy("bank.wasm", canisterd.Init("Alice's bank"))
//		ctx := t.Context()
//		if err := bank.Call(ctx, "deposit", 100); err != nil {
//			t.Fatal(err)
//		}
//		ic.Advance(7 * 24 * time.Hour)
//		var balance uint64
//		if err := bank.Query(ctx, "balance", canisterd.Into(&balance)); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// # Networks
//
// [New] makes a network for a test, benchmark or fuzz test and closes it with the test. What such an [IC] cannot do fails
// the test, because a test can do nothing about a module that is not there. A call may fail as part of what is tested:
// calls return errors. [Open] makes the same [Network] for programs; there everything returns an error.
//
// Tests that run in parallel each have a network of their own. All networks of a process share one engine, so a module is
// compiled once, and a network takes some milliseconds.
//
// # Options
//
// Options are functions, such as [Seed] and [Init]. Most networks have none, a struct would be empty braces in most
// calls, and the arguments of [Init] have no type that a field could have.
//
// # Time
//
// Time stands still unless a test moves it, and rounds run only while a call is answered: a test gives the same result
// each time, with the same canister ids. [Network.Advance] lets time pass as it would by itself; each timer on the way
// fires when it is due. With [WallClock] a network runs by itself, at the time of this computer.
//
// # Values
//
// Arguments are Go values, written at the types that the canister's own interface says (candid:service): 100 is a nat, a
// nat64 or an int8, whatever the method takes. [Into] names the variables that the results are read into. Package candid
// says how Go types and Candid types correspond. [Text] is arguments or results as Candid text, [Bytes] as they are.
//
// # Errors
//
// A canister that rejects a call gives a [*Reject], with code, message and backtrace. What the network did not accept is
// a [*Refusal]: nothing happened. A call that cannot be answered before time passes or a held message is released gives
// [ErrWaiting]; it goes on, and [Pending.Await] can ask again. Get the types with errors.As.
//
// # What it owns
//
// This package owns the interface for Go programs, and the networks of this process. It must not know the control API or
// any other protocol; package daemon/instance is what runs a network.
package canisterd
