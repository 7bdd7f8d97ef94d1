// Package clone brings a canister of one network to another: it reads a snapshot of the canister over the management
// canister, keeps it in a folder, and loads it into a canister of the same id.
//
// It owns
//
//   - the calls of methods about snapshots, over any connection (Caller), and what a destination has to do (Host); package
//     networks has those that are reached over a network,
//   - the cache, a folder with a directory for each snapshot, and what it records beside the snapshot: where it is from,
//     and the status of the canister there,
//   - the order of steps at the destination, and which settings the canister has there,
//   - sets: which canisters a canister calls, as far as its source tells, and what becomes of each,
//   - what takes the place of a canister that cannot be cloned: its published module with empty state, or a stand-in,
//   - the recording of replies for stand-ins, whose file and module are of package standin,
//   - what a clone costs and what it cannot have.
//
// It must not know the command line, the file of a project, where keys and published modules are, or the protocol of a
// connection.
//
// Nothing is written to the source but the snapshot that Take asks for. Memories pass in slices: neither side holds a whole
// one.
package clone
