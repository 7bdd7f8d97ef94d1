// Package timers is logical time: one table holds all deadlines (global timers, expiry of calls and ingress messages,
// stop timeouts, pruning of answers).
//
// It owns the order in which deadlines fall due. It has no clock: the owner of a table supplies the time, and nothing
// happens in between. It must not know what a deadline is for; it stores a kind, a subject and a number and returns
// them.
package timers
