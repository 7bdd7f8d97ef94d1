// Package campaign explores the orders and the faults of some operations, likely causes of bugs first, and describes
// its findings briefly.
//
// It owns the phases of an exploration and their budget, the baselines, findings with their shortest schedules, and
// their descriptions. It must not know its caller, where modules come from, or how findings are stored.
//
// # Workers
//
// A Job depends on nothing but itself, and a Pool runs jobs concurrently. Results are taken in job order, so the report
// does not depend on the number of workers or on where they run. The pool of this package, goroutines.go, is its only
// source of concurrency. For pools in other processes, wire.go encodes jobs and results, and a Worker there makes
// the same preparations as the exploration.
//
// # Phases
//
//  1. FIFO twice, to see that the runs are deterministic, and the serial orders, which are the baseline of properties.
//  2. Each message with each fault that it can have, in FIFO order: most bugs need no more.
//  3. All classes of orders without faults, if their estimated number fits half of the budget; then all classes under
//     each single fault. Otherwise each exchange of two messages of a canister.
//  4. Each pair of faults, where two are allowed.
//  5. Orders drawn by a portfolio of strategies, half of them with faults.
//
// With drawn arguments (drawn.go), each case of arguments and calls is a job and a short exploration of its own (case.go): FIFO
// and some drawn orders, and for some cases all phases. A part of the cases begin in states that earlier cases reached and
// that showed something new (states.go). simplify.go makes the case of a finding smaller.
//
// A corpus has the runs of earlier explorations that showed something new (corpus.go): an exploration begins with them, and
// its own go on from there.
//
// For each finding, continuations in random orders from each of its messages show where the failure becomes certain
// (noreturn.go).
//
// Runs are made in batches. The enumeration of classes and each batch deliver common first messages of several runs
// once, and fork the network where the runs diverge.
package campaign
