// Package campaign explores the orders and the faults of some operations, from the likely causes of bugs to the
// unlikely, and tells what it found in few words.
//
// It owns the phases of an exploration and their budget, the baselines, findings with their shortest schedules, and
// the words for them. It must not know its caller, where modules come from, or how findings are kept.
//
// # Workers
//
// A Job depends on nothing but itself, and a Pool runs jobs beside each other. Results are taken in the order of the
// numbers of their jobs: whatever the number of workers, and wherever they are, the report is the same. The pool of this
// package, goroutines.go, is its one source of concurrency. For pools in other processes, wire.go writes jobs and results
// as bytes, and a Worker there makes the same preparations as the exploration.
//
// # Phases
//
//  1. FIFO twice, to see that the runs are deterministic, and the serial orders, which are the baseline of properties.
//  2. Each message with each fault that it can have, in FIFO order: most bugs need no more.
//  3. All classes of orders without faults, where the estimate of their number fits half of the budget; then all classes
//     under each single fault. Otherwise each delay and each pair of messages exchanged.
//  4. Each pair of faults, where two are allowed.
//  5. Orders drawn by a portfolio of strategies, half of them with faults.
//
// Runs are made in batches. The enumeration of classes and each batch deliver the messages once with which several runs
// begin, and fork the network where they part.
package campaign
