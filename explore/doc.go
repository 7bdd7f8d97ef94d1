// Package explore finds bugs between the awaits of canisters: it runs operations in every legal order of their messages,
// and with every fault that mainnet can cause, on forks of a network of package canisterd. A test says which operations
// run at the same time, and what must hold:
//
//	func TestWithdrawals(t *testing.T) {
//		ic := canisterd.New(t)
//		bank, vault := ic.Deploy("bank.wasm"), ic.Deploy("vault.wasm")
//		...
//		explore.Run(t, ic.Network,
//			explore.Op(bank, "withdraw", 100),
//			explore.Op(bank, "withdraw", 100),
//			explore.Invariant("vault paidOut <= 100"),
//		)
//	}
//
// The network is not changed. A finding fails the test with the shortest order of messages that shows it, and is written
// to testdata/explore. The next test replays it first.
//
// # What is checked
//
// Beside the properties of the test: callbacks that trap after an await, calls that are never answered, operations that
// stop working after a run, canisters that give away more cycles than after any serial order of the operations, and
// queries of canisters whose names begin with invariant_ (they must return true, or null for an opt text). Answers that no
// serial order explains are suspicions: they are reported, but fail a test only with [FailOnSuspicion].
//
// # What a report says
//
// Two to four operations have few classes of equivalent orders. All of them are run, without faults and under each
// single fault. If [Report].Exhausted and ExhaustedFaults are true, the properties hold in all orders of these operations,
// in this state and with these faults. For more operations, orders are drawn.
//
// # Drawn arguments
//
// [Drawn] operations get arguments that are drawn from their types, [DrawnFrom] ones those of a generator, and [Any] draws
// calls of a canister. A finding has the fewest calls and the simplest arguments that still show it.
//
// # What it owns
//
// This package owns the options for Go programs and the files of testdata/explore. It must not know how orders are
// chosen: that is the task of internal/explore/campaign.
package explore
