// Package snapshotdir is the directory in which icp-cli and dfx keep a snapshot of a canister.
//
//	metadata.json              the answer of read_canister_snapshot_metadata
//	wasm_module.bin            the module
//	wasm_memory.bin            the heap, absent if the canister has none
//	stable_memory.bin          stable memory
//	wasm_chunk_store/HASH.bin  the chunks of the chunk store
//	.download_progress.json    what a download has written so far, absent from complete directories
//	.upload_progress.json      what an upload has sent so far
//	.slices.sha256             SHA-256 of each slice, where the download wrote it
//
// Parts are transferred in slices, one or several at a time, so that the memory that a transfer needs does not grow with the snapshot.
//
// It owns the layout, the JSON of its files, and what is sent in which order. It must not know how a snapshot is read from
// a canister or written to one: Source and Target do that.
package snapshotdir
