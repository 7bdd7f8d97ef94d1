// Package campaign explores the orders and the faults of some operations, from the likely causes of bugs to the
// unlikely, and tells what it found in few words.
//
// It owns the phases of an exploration and their budget, the baselines, findings with their shortest schedules, and
// the words for them. It must not know who asks, where modules come from, or how findings are kept. Its one source of
// concurrency is workers.go; whatever the number of workers, the report is the same.
//
// # Phases
//
//  1. FIFO twice, to see that the runs are deterministic, and the serial orders, which are the baseline of properties.
//  2. Each message with each fault that it can have, in FIFO order: most bugs need no more.
//  3. All classes of orders without faults, where the estimate of their number fits half of the budget; then all classes
//     under each single fault. Otherwise each delay and each pair of messages exchanged.
//  4. Each pair of faults, where two are allowed.
//  5. Orders drawn by a portfolio of strategies, half of them with faults.
package campaign
