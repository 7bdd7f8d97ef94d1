// Package assets uploads the files of a web page to an asset canister, by the batches of its interface (create_batch,
// create_chunk, commit_batch): only what changed, and files that are gone are deleted.
//
// It owns types of files, their encodings, and the difference between a directory and a canister. It must not know how a
// canister is called, or where files come from.
package assets
