// Package property checks runs of operations: for properties that all canisters should have, without configuration, and
// for properties that a user states with queries.
//
// It owns the properties and the texts of their violations. It must not know in which order messages were delivered, or
// which orders are tried: it checks a run that is over, or a run after its latest message. Nothing in it has effects.
package property
