// Package journal keeps a state directory: the records of one network in their order, its checkpoints, and what is known
// beside it.
//
// It owns the layout of the directory, its version, its lock, the checksums, and what is on disk when. It must not know
// what a record or a checkpoint tells: they are bytes, with positions and heights.
//
// # The directory
//
//	FORMAT                 the version of the layout, as text
//	lock                   held while the directory is open
//	store/                 a Pebble store: records, descriptions of checkpoints, values by name
//	store.damaged*         a store that a repair has put aside
//	end                    how many records are on disk, as text
//	values                 the values once more
//	checkpoint-POSITION-*  a network after so many records, without the pages of its memories
//	about-POSITION-*       what the store says about that checkpoint
//	pages-POSITION-*       pages of memories, which several checkpoints may need
//	file-NAME              other files of its user
//	copy-*/                a copy of all that, while it is exported
//
// The position of a record is the number of records before it. Records lie in the store in blocks, one for each
// commit, under the position of their first. A block has its own checksum beside those of the store.
//
// # What is promised
//
// Append returns at once. Sync returns when everything appended before it is on disk: one commit serves all who wait,
// and nothing is committed twice. Callers append while a commit is under way. The next commit waits for the callers that
// were just served, no longer than the last commit took: clients that write one after the other share each commit then,
// and a client that is alone waits for one commit. A crash at any moment loses only records
// that no Sync has covered. They are always the newest: the records that remain have no gap.
//
// A checkpoint is a file that is complete and on disk before the store mentions it. The last two are kept, with the
// records after the older: if the newest is damaged, the network can be had from the other without a loss. A base is a
// checkpoint of another network than the records before it are of: nothing before it is kept. Older checkpoints, with the
// records after the oldest, are a history, which a Retention bounds by age and bytes.
//
// A page file is written with one checkpoint and never changes. Later checkpoints refer to the memories in it that are
// still the same, so a checkpoint writes only the others. If less than half of a page file is used, the next checkpoint
// copies that part to its own file. A page file is removed with the last checkpoint that refers to it.
//
// # Damage
//
// What the store has is also told beside it: how many records there are, the checkpoints, the values. An opening compares
// them, and removes nothing before it has. A *DamagedError names what is missing or changed: no record that was
// acknowledged and no whole checkpoint goes without a word. The store takes damage at the end of its newest log for what a
// crash leaves there. So the log is read before, and a later part of it that was on disk tells the one from the other. One
// case is left: after a failure of the power, the file with the number of records may be an older one. Then damage of the
// last two blocks, or a log that was cut, cannot be told from records that were never written.
//
// Check and Repair read the files of a damaged store without the store. Repair writes a new store, with the newest whole
// checkpoint and the records around it that follow each other.
//
// # Failures
//
// The first write that fails in the store ends the journal (FailedError): no record counts as kept from then on, all files
// are closed, and the lock is given back. A checkpoint or another file that cannot be written is an error of that call
// alone.
//
// Lazy records stay in memory until the next record that is not lazy. An idle journal does not write.
package journal
