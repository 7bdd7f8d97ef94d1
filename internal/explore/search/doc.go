// Package search chooses the order in which the messages of a run are delivered: one order at a time by a strategy, or
// all orders that differ, once each.
//
// It owns the strategies, the enumeration of classes of equivalent orders, and orders written down as constraints (one
// message before another). It must not know what a message is: a move has a name, a task, a cause and a receiver. It
// has no clock, no goroutine and no chance of its own: a strategy is given a generator that was seeded for its run.
//
// # Equivalent orders
//
// Two moves with different receivers commute: whichever comes first, the same state follows, and the same moves are
// legal in it. Orders that differ only by such exchanges are equivalent (a Mazurkiewicz trace, here a class). Classes
// enumerates one order of each class with sleep sets (Godefroid 1996): when the moves a and b were both possible and
// all orders that begin with a are done, a sleeps in the orders that begin with b until a move that does not commute
// with a is made.
//
// # Strategies
//
// Past some four operations there are too many classes, and orders are drawn. Each strategy is one file and one
// function, Begin, that makes the Picker of one run. No strategy is the best for all bugs: Portfolio mixes them.
// Default also begins a part of the runs like earlier ones that showed something new, which its caller has to know.
package search
