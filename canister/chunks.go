package canister

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/internal/cow"
)

// ChunkStore holds the chunks of a module that is too large for one message (interface specification, "IC method
// upload_chunk").
type ChunkStore struct {
	kept *chunks  // nil if there are none
	mark cow.Mark // set while another store shares the chunks
}

// chunks is the content of a chunk store.
type chunks struct {
	bytes map[[32]byte][]byte // by hash
	order [][32]byte          // ascending
}

// Len returns the number of chunks.
func (s *ChunkStore) Len() int { return len(s.hashes()) }

// Bytes returns the memory that the store is billed for: every chunk counts as a full one.
func (s *ChunkStore) Bytes() uint64 { return uint64(s.Len()) * ChunkBytes }

// Put stores a chunk of at most ChunkBytes and returns its SHA-256. It returns false if the store is full and does not
// have the chunk yet.
func (s *ChunkStore) Put(chunk []byte) (hash [32]byte, ok bool) {
	hash = sha256.Sum256(chunk)
	if _, known := s.Get(hash); known {
		return hash, true
	}
	if s.Len() >= MaxChunks {
		return hash, false
	}
	switch shared := s.mark.Own(); {
	case s.kept == nil:
		s.kept = &chunks{bytes: make(map[[32]byte][]byte)}
	case shared:
		s.kept = &chunks{maps.Clone(s.kept.bytes), slices.Clone(s.kept.order)}
	}
	c := s.kept
	c.bytes[hash] = append(make([]byte, 0, len(chunk)+1), chunk...)
	at, _ := slices.BinarySearchFunc(c.order, hash, compareHash)
	c.order = slices.Insert(c.order, at, hash)
	return hash, true
}

// Get returns the chunk with a hash, and false if there is none. The caller must not write it.
func (s *ChunkStore) Get(hash [32]byte) ([]byte, bool) {
	if s.kept == nil {
		return nil, false
	}
	chunk, ok := s.kept.bytes[hash]
	return chunk, ok
}

// Hashes returns the hashes of all chunks in ascending order.
func (s *ChunkStore) Hashes() [][32]byte { return slices.Clone(s.hashes()) }

// hashes returns the hashes without a copy, for reading only.
func (s *ChunkStore) hashes() [][32]byte {
	if s.kept == nil {
		return nil
	}
	return s.kept.order
}

// Fork returns a store with the same chunks. Nothing is copied until one of the two gets another chunk.
func (s *ChunkStore) Fork() ChunkStore {
	s.mark.Share()
	return *s
}

// HeapDelta returns how many bytes a replica without a checkpoint yet holds as changes: whole pages of 4 KiB.
func (s *ChunkStore) HeapDelta() uint64 {
	var n uint64
	for _, hash := range s.hashes() {
		n += (uint64(len(s.kept.bytes[hash])) + 4095) &^ 4095
	}
	return n
}

// Clear empties the store.
func (s *ChunkStore) Clear() { *s = ChunkStore{} }

func compareHash(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) }
