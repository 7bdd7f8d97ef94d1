// Command torture kills a canisterd process again and again while clients write, and counts lost updates.
//
// It builds the real binary and starts it with a state directory. Clients count in canisters with signed updates over
// HTTP. After a random time it ends the process with SIGKILL, starts the next one with the same directory, and queries
// every canister: a count below the last reply to its client is a lost update. All clients also count in one shared
// canister and query it. Between two starts, their operations must be linearizable: some order that agrees with their
// times must give the answers of a counter. After the last kill the journal is replayed.
//
// Before that it cuts the power of instances on a simulated disk in memory: at a random change of the disk everything
// ends, and a random part of the unsynced data is lost. The state after each cut must equal the state of a replay, and each
// update must be complete or absent.
//
// It prints the kills and cuts, how many hit a checkpoint, a compaction of the store, an installation or a fork, the
// acknowledged updates, and the lost updates, which must be 0. Four of five ends wait briefly for work of one of these
// kinds. It fails if many ends never hit one of the kinds.
package main
