package replica

import (
	"io"

	"github.com/canisterd/canisterd/archive"
)

// Checkpoint writes the network as Export does, except the pages of memories: they go to a store, unless it has them
// from a checkpoint before. It takes time in proportion to the memories that have changed since, and to the rest of the
// state. state is CheckpointHash.
func (n *Network) Checkpoint(w io.Writer, pages archive.PageStore) (state [32]byte, err error) {
	return n.export(w, pages)
}

// CheckpointHash is a hash of the replicated state, the same for the same state wherever the pages of memories are. Pages
// that are in a store, and did not change since, are not read again: their hashes count.
func (n *Network) CheckpointHash() ([32]byte, error) { return n.export(io.Discard, hashedPages{}) }

// Recover makes the network that Checkpoint has written, as Import does. The pages of a memory are read from the store
// when one of them is needed first. If they are not what was written, or cannot be read, execution cannot continue.
func Recover(r io.Reader, pages archive.PageStore, config Config) (*Network, error) {
	return importFrom(r, pages, config)
}

// hashedPages is a store that keeps nothing.
type hashedPages struct{}

// Put implements archive.PageStore.
func (hashedPages) Put([]byte) (file string, offset int64, err error) { return "", 0, nil }

// Keep implements archive.PageStore.
func (hashedPages) Keep(file string, offset, _ int64) (now string, at int64, err error) {
	return file, offset, nil
}

// Open implements archive.PageStore.
func (hashedPages) Open(string) (archive.PageFile, error) { panic("replica: hashes are only written") }
