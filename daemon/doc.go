// Package daemon wires an instance together: configuration, the engine and its
// files, the network and its node, the listeners of the front ends, the pacer
// that turns the wall clock into inputs, and the performer that makes canisters'
// HTTP outcalls. Start returns a running instance; Close frees everything it took.
//
// It owns files, sockets, the wall clock and logging; it is the only package
// that reads the time of day. It decides nothing about what a canister or a
// subnet does.
package daemon
