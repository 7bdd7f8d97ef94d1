// Package daemon wires a process together: configuration, files, listeners, the front ends and the instances they
// serve. Start returns a running daemon; Close frees everything.
//
// It owns files, sockets, memory budgets and logging. It is the host of package instance: it gives each instance a
// front (frontend.go) with an HTTP interface, an HTTP client for the outcalls of its canisters, and a log; and it passes
// the wall clock in. It decides nothing about the behavior of an instance, a subnet or a canister.
package daemon
