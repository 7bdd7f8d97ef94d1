// Command torture kills a canisterd process again and again while clients write, and counts what is lost.
//
// It builds the real binary, starts it with a state directory, and has clients count in canisters with signed updates
// over HTTP. After a random time it ends the process with SIGKILL, starts the next one with the same directory, and asks
// every canister how far it has counted: less than its clients were told is a lost update. After the last kill it has
// the journal replayed.
//
// It prints the kills, the updates that were acknowledged, and the updates that were lost, which must be 0.
package main
