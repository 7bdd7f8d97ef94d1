package canister

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/internal/cow"
)

// ChunkStore holds the chunks of a module too large for one message (interface
// specification, "IC method upload_chunk").
type ChunkStore struct {
	chunks map[[32]byte][]byte
	order  [][32]byte // by hash
	mark   cow.Mark   // set while another store has chunks and order as well
}

// Len is the number of chunks.
func (s *ChunkStore) Len() int { return len(s.order) }

// Bytes is the memory the store is billed for: every chunk counts as a full one.
func (s *ChunkStore) Bytes() uint64 { return uint64(len(s.order)) * ChunkBytes }

// Put stores a chunk of at most ChunkBytes and gives its SHA-256. It is false
// where the store is full and does not have the chunk yet.
func (s *ChunkStore) Put(chunk []byte) (hash [32]byte, ok bool) {
	hash = sha256.Sum256(chunk)
	if s.chunks[hash] != nil {
		return hash, true
	}
	if len(s.order) >= MaxChunks {
		return hash, false
	}
	if s.mark.Own() {
		s.chunks, s.order = maps.Clone(s.chunks), slices.Clone(s.order)
	}
	if s.chunks == nil {
		s.chunks = make(map[[32]byte][]byte)
	}
	s.chunks[hash] = append(make([]byte, 0, len(chunk)+1), chunk...)
	at, _ := slices.BinarySearchFunc(s.order, hash, compareHash)
	s.order = slices.Insert(s.order, at, hash)
	return hash, true
}

// Get is the chunk with a hash, and false if there is none. It must not be written.
func (s *ChunkStore) Get(hash [32]byte) ([]byte, bool) {
	chunk, ok := s.chunks[hash]
	return chunk, ok
}

// Hashes are the hashes of all chunks in ascending order.
func (s *ChunkStore) Hashes() [][32]byte { return slices.Clone(s.order) }

// Fork returns a store with the same chunks. Nothing is copied until one of the two gets another chunk.
func (s *ChunkStore) Fork() ChunkStore {
	s.mark.Share()
	return *s
}

// HeapDelta is how many bytes a replica that has made no checkpoint yet holds as changes: whole pages of 4 KiB.
func (s *ChunkStore) HeapDelta() uint64 {
	var n uint64
	for _, hash := range s.order {
		n += (uint64(len(s.chunks[hash])) + 4095) &^ 4095
	}
	return n
}

// Clear empties the store.
func (s *ChunkStore) Clear() { *s = ChunkStore{} }

func compareHash(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) }
