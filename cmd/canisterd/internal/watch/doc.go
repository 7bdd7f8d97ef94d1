// Package watch tells when the content of files has changed.
//
// It owns which files patterns select, their hashes, and the watches on directories that say when to look again. Events
// of the file system are hints: the truth is what Scan reads. It must not know what files are for.
package watch
