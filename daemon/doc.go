// Package daemon wires a process together: configuration, files, listeners, the front ends and
// the instances they serve. Start returns a running daemon; Close frees everything it took.
//
// It owns files, sockets, budgets of memory and logging. It is the host of package instance: it
// gives each instance a front (front.go), which is an HTTP interface, an HTTP client for the
// outcalls of its canisters, and a log; and it hands the wall clock in. It decides nothing about
// what an instance, a subnet or a canister does.
package daemon
