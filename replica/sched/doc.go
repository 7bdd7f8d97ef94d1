// Package sched decides what happens next where more than one thing may: a
// scheduler oracle is shown the legal moves of the network and picks one.
//
// It owns the oracle's interface and its strategies. It must not know what a
// move does: a move is a name and a kind. replica shows the moves and makes
// them; the API layers may choose a strategy.
package sched
