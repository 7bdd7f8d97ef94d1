// Package journal keeps a state directory: the ordered records of one network, its checkpoints, and named values.
//
// It owns the layout of the directory, its version, its lock, the checksums, and the order of syncs. It must not know
// what a record or a checkpoint means: they are bytes with positions and heights.
//
// # The directory
//
//	FORMAT                 the version of the layout, as text
//	lock                   held while the directory is open
//	store/                 a Pebble store: records, descriptions of checkpoints, values by name
//	store.damaged*         a store that a repair moved aside
//	end                    sidecar: the number of records on disk, as text
//	values                 sidecar: a copy of the values
//	checkpoint-POSITION-*  a network after so many records, without the pages of its memories
//	about-POSITION-*       sidecar: a copy of the description of that checkpoint
//	pages-POSITION-*       pages of memories, which several checkpoints may share
//	file-NAME              other files of the user of the package
//	daemon.log             the log of a daemon in the background, which the package ignores
//	copy-*/                a copy of the directory, while it is exported
//
// The position of a record is the number of records before it. The store holds records in blocks, one for each commit,
// under the position of the first record. A block has its own checksum in addition to those of the store.
//
// # Guarantees
//
// Append returns at once. Sync returns when everything appended before it is on disk: one commit serves all waiting
// callers, and nothing is committed twice. Callers append during a commit. The next commit waits for the callers that
// were just served, at most as long as the last commit took: clients that write in a loop then share each commit, and a
// single client waits for one commit. A crash loses only records that no Sync has covered. These are always the newest:
// the remaining records have no gap.
//
// A checkpoint is a file that is complete and on disk before the store refers to it. The last two are kept, with the
// records after the older one: if the newest is damaged, the other restores the network without loss. A base is a
// checkpoint of a different network than the records before it: nothing before it is kept. Older checkpoints, with
// the records after the oldest, are the history, which a Retention bounds by age and bytes.
//
// A page file is written with one checkpoint and never changes. Later checkpoints refer to its memories that have not
// changed, and write only the others. If less than half of a page file is used, the next checkpoint copies that part to
// its own file. A page file is removed with the last checkpoint that refers to it.
//
// # Damage
//
// Sidecar files repeat, outside the store, the number of records, the checkpoints and the values. Open compares the
// store with them before it removes anything. A *DamagedError names what is missing or changed: no acknowledged record
// and no intact checkpoint is lost silently. The store cannot tell damage in its newest log from an end that a crash
// cut off. So Open reads the log first: a later chunk that was on disk proves damage. One case remains: after a power
// failure, the number of records may be an older one. Then damage in the last two blocks, or a truncated log, looks
// like records that were never written.
//
// Check and Repair read the files of a damaged store without opening it. Repair writes a new store with the newest
// intact checkpoint and the contiguous records around it.
//
// # Failures
//
// The first failed write in the store ends the journal (FailedError): it keeps no more records, closes all files and
// releases the lock. If a checkpoint or another file cannot be written, only that call fails.
//
// Lazy records stay in memory until the next record that is not lazy. An idle journal does not write.
package journal
