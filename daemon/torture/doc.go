// Command torture kills a canisterd process again and again while clients write, and counts what is lost.
//
// It builds the real binary, starts it with a state directory, and has clients count in canisters with signed updates
// over HTTP. After a random time it ends the process with SIGKILL, starts the next one with the same directory, and asks
// every canister how far it has counted: less than its clients were told is a lost update. All clients also count in one
// canister and query it. From start to start, their operations must be linearizable: they must have the answers of a
// counter in some order that agrees with their times. After the last kill the journal is replayed.
//
// Before that it lets the power of instances fail whose disk is simulated in memory: at a random change of the disk
// everything ends, and a random part of what was not synced is lost. The state after each cut must be that of a replay,
// and each update is there whole or not at all.
//
// It prints the kills and cuts, how many fell into a checkpoint, a compaction of the store, an installation or a fork,
// the updates that were acknowledged, and the updates that were lost, which must be 0. Four of five ends wait, for a
// moment, until work of one of these kinds is under way: it fails if none of many ends fell into some kind.
package main
