// Package canisterd is an Internet Computer for Go tests: a network of canisters in the process of the test, without a
// binary, a port or a file. A test deploys modules, calls them with Go values, moves time, holds messages, and restores
// snapshots:
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
// [New] makes a network for a test, benchmark or fuzz test and closes it with the test. If the [IC] itself fails, it
// fails the test, because a test cannot recover from a missing module. A call may fail as part of the test: calls
// return errors. [Open] makes the same [Network] for programs; there everything returns an error.
//
// Each parallel test has its own network. All networks of a process share one engine, so a module is compiled once, and
// a network takes a few milliseconds.
//
// # Options
//
// Options are functions, such as [Seed] and [Init]. Most networks have none: a struct would be empty braces in most
// calls, and no type of a field fits the arguments of [Init].
//
// # Time
//
// Time stands still unless a test moves it, and rounds run only while a call is answered: a test gives the same result
// each time, with the same canister ids. [Network.Advance] lets time pass naturally; each timer on the way fires when
// it is due. With [WallClock] a network runs on its own, at the time of this computer.
//
// # Values
//
// Arguments are Go values, encoded with the types of the canister's own interface (candid:service): 100 is a nat, a
// nat64 or an int8, as the method requires. [Into] names the variables that receive the results. Package candid
// documents how Go types and Candid types correspond. [Text] is Candid text, [Bytes] are raw bytes.
//
// # Errors
//
// If a canister rejects a call, the error is a [*Reject] with code, message and backtrace. If the network refuses a
// request, it is a [*Refusal]: nothing happened. A call that needs time to pass or a held message to be released
// returns [ErrWaiting]; it continues, and [Pending.Await] can wait again. Get the types with errors.As.
//
// # What it owns
//
// This package owns the interface for Go programs. It must not know the control API or any other protocol; package
// inprocess runs the networks.
//
// # Where things are
//
// The files from the bottom up. Each uses declarations only of the files before it:
//
//	outcalls.go HTTP outcalls
//	options.go  options of networks
//	network.go  networks and their forks, the types of canisters, time
//	value.go    Go values as Candid and back
//	budgets.go  budgets: what calls may take
//	call.go     calls, the interfaces of canisters, rejects
//	hold.go     held messages, call trees
//	profile.go  profiles: where instructions went
//	deploy.go   deployment and management of canisters
//	project.go  the canisters of canisterd.yaml
//	clone.go    clones among them
//	ic.go       networks that fail their test
package canisterd
