// Package timers is logical time: one table of deadlines, in which everything
// that waits for a moment waits (global timers, expiry of calls and ingress
// messages, stop timeouts, pruning of answers).
//
// It owns the order in which deadlines fall due. It has no clock: the owner of
// a table says what time it is, and nothing happens in between. It must not
// know what a deadline is for; it keeps a kind, a subject and a number and
// gives them back.
package timers
