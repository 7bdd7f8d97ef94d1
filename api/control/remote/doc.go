// Package remote is the Go client of a daemon's control API: a connection with the generated client of every service,
// and the operations that take more than one message (installing a module, exporting an instance, holding a lease,
// following events over a broken connection).
//
// It owns the form of an address, how credentials travel and how errors read. It must not know what a canister or a
// network is: everything it says comes from the daemon.
package remote
