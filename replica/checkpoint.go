package replica

import (
	"io"

	"github.com/canisterd/canisterd/archive"
)

// Checkpoint writes the network as Export does, but puts the pages of memories into a store. It does not write memories
// again that the store already has. The time depends on the size of the other memories and of the rest of the state. It
// returns CheckpointHash.
func (n *Network) Checkpoint(w io.Writer, pages archive.PageStore) (state [32]byte, err error) {
	return n.export(archive.NewWriter(w), pages)
}

// CheckpointHash returns the hash of the replicated state that Checkpoint returned when it wrote a file, if the state
// was this one. It depends on the version of the file and not on the places of pages. It does not read a memory that is
// in a store: the hashes of its pages are known. comparable is false if an older program wrote the file: its hash cannot
// be computed. Then recover the file, and compare HashAsCheckpoint of both.
func (n *Network) CheckpointHash(file io.Reader) (state [32]byte, comparable bool, err error) {
	version, err := archive.VersionOf(file)
	if err != nil || version < archive.OldestHashed {
		return state, false, err
	}
	if version > archive.Version {
		return state, false, &archive.NewerError{Version: version}
	}
	state, err = n.export(archive.NewHasher(version), hashedPages{})
	return state, true, err
}

// HashAsCheckpoint returns the hash that Checkpoint would return.
func (n *Network) HashAsCheckpoint() ([32]byte, error) {
	return n.export(archive.NewHasher(archive.Version), hashedPages{})
}

// Recover reads a network that Checkpoint wrote, as Import does. The store loads each memory on first use. If that fails,
// or the pages are damaged, execution cannot continue.
func Recover(r io.Reader, pages archive.PageStore, config Config) (*Network, error) {
	return importFrom(r, pages, config)
}

// hashedPages is a store that drops its input.
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
