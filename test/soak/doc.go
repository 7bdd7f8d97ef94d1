// Command soak runs a canisterd process under a mixed load for an hour, and fails where it grows.
//
// It builds the real binary and starts it with a state directory. Clients make updates and queries, canisters call each
// other, trap before and after an await, dirty their heaps and stable memories, and fire global timers. A canister is
// installed again and again; the instance is forked, its snapshots are taken and deleted; instances come and go;
// connections are opened and closed; events are watched. The load has a fixed rate, so that it does not depend on the
// machine.
//
// The load pauses after a warm-up and at the end, and each time the process is measured once it is quiet. At the end it
// must have
//
//   - the heap and the memory of the warm-up (limits.go), beside what the answers of five minutes take,
//   - no goroutine more,
//   - no descriptor more, beside those of the store's files, which have a limit of their own,
//   - a state directory within its budget: two checkpoints, their page files, the records after them, the history that
//     the flags allow, and the files of the store.
//
// Then it is stopped, and a replay of its journal must agree with its checkpoints.
package main
