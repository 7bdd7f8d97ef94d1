// Package coverdir keeps what ran in a directory, as Go's GOCOVERDIR does: each process writes a file of its own beside the
// modules that it knows, and a reader joins them. So tests that start several servers have one report.
//
//	HASH.wasm      a module as uploaded, without compression
//	ran-ID.gob     what a process has run of modules; replaced as a whole
//	server-ran-ID  the process is a server and still writes
//
// It owns the files. It must not know who runs canisters and what reports look like.
package coverdir
