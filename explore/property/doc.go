// Package property says what a run of operations must not do: what holds for all canisters without a line of
// configuration, and what a user states with queries.
//
// It owns the properties and the texts of their violations. It must not know in which order messages were delivered, or
// which orders are tried: it is shown a run that is over, or a run after one more message. Nothing in it has effects.
package property
