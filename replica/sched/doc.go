// Package sched decides what happens next if there are several legal moves: a scheduler oracle sees the legal moves of
// the network and chooses one.
//
// It owns the oracle's interface and its strategies. It must not know what a move does: a move is a name and a kind.
// replica lists the moves and makes them; the API layers may choose a strategy.
package sched
