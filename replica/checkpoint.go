package replica

import (
	"io"

	"github.com/canisterd/canisterd/archive"
)

// Checkpoint writes the network as Export does, but puts the pages of memories into a store. Memories that the store
// already has are not written again. The time follows the size of the other memories and of the rest of the state. It
// returns CheckpointHash.
func (n *Network) Checkpoint(w io.Writer, pages archive.PageStore) (state [32]byte, err error) {
	return n.export(w, pages)
}

// CheckpointHash is a hash of the replicated state. It does not depend on where the pages of memories are. A memory that
// is in a store is not read: the hashes of its pages are known.
func (n *Network) CheckpointHash() ([32]byte, error) { return n.export(io.Discard, hashedPages{}) }

// Recover reads a network that Checkpoint wrote, as Import does. The store loads each memory on first use. If that fails,
// or the pages are damaged, execution cannot continue.
func Recover(r io.Reader, pages archive.PageStore, config Config) (*Network, error) {
	return importFrom(r, pages, config)
}

// hashedPages is a store that drops what it is given.
type hashedPages struct{}

// Put implements archive.PageStore.
func (hashedPages) Put([]byte) (file string, offset int64, err error) { return "", 0, nil }

// Keep implements archive.PageStore.
func (hashedPages) Keep(file string, offset, _ int64) (now string, at int64, err error) {
	return file, offset, nil
}

// Open implements archive.PageStore.
func (hashedPages) Open(string) (archive.PageReader, error) {
	panic("replica: hashes are only written")
}
