package canister

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/stable"
)

// ChunkStore holds the chunks of a module that is too large for one message (interface specification, "IC method
// upload_chunk"). Their bytes are pages of the checkpoint file: 100 MiB for each canister would exceed the memory of
// the process. Clear releases them.
type ChunkStore struct {
	kept *chunks // nil if there are none
}

// chunks is the content of one or more chunk stores: nothing in it changes while users is more than one.
type chunks struct {
	users  atomic.Int64   // stores; the last one closes memory
	memory *stable.Memory // a slot of ChunkBytes for each chunk, in the order of arrival
	order  []chunk        // ascending by hash
}

type chunk struct {
	hash [32]byte
	slot uint64
	size uint64 // at most ChunkBytes
}

// Len returns the number of chunks.
func (s *ChunkStore) Len() int { return len(s.all()) }

// Bytes returns the memory that the store is billed for: every chunk counts as a full one.
func (s *ChunkStore) Bytes() uint64 { return uint64(s.Len()) * ChunkBytes }

// Has reports whether the store has the chunk with a hash.
func (s *ChunkStore) Has(hash [32]byte) bool {
	_, ok := s.find(hash)
	return ok
}

// Put stores a chunk of at most ChunkBytes. An error means that the store or the disk is full; the store is then
// unchanged.
func (s *ChunkStore) Put(e *Engine, content []byte) error {
	added := chunk{hash: sha256.Sum256(content), slot: uint64(s.Len()), size: uint64(len(content))}
	switch {
	case s.Has(added.hash):
		return nil
	case s.Len() >= MaxChunks:
		return fmt.Errorf("a chunk store has at most %d chunks", MaxChunks)
	}
	own, err := s.owned(e)
	if err != nil {
		return err
	}
	if err := own.write(&added, content); err != nil {
		own.memory.Rollback()
		return fmt.Errorf("store a chunk of %d bytes: %w", len(content), err)
	}
	at, _ := own.search(added.hash)
	own.order = slices.Insert(own.order, at, added)
	return nil
}

// owned returns the content of the store after it has stopped sharing it.
func (s *ChunkStore) owned(e *Engine) (*chunks, error) {
	switch {
	case s.kept == nil:
		s.kept = newChunks(stable.New(e.wasm.File()))
		s.kept.memory.Grow(MaxChunks * ChunkBytes / stable.PageSize)
		if err := s.kept.memory.Commit(); err != nil {
			s.Clear()
			return nil, fmt.Errorf("make a chunk store: %w", err)
		}
	case s.kept.users.Load() > 1:
		copied := newChunks(s.kept.memory.Fork())
		copied.order = slices.Clone(s.kept.order)
		s.Clear()
		s.kept = copied
	}
	return s.kept, nil
}

func newChunks(memory *stable.Memory) *chunks {
	c := &chunks{memory: memory}
	c.users.Store(1)
	return c
}

func (c *chunks) write(to *chunk, content []byte) error {
	if err := c.memory.Write(to.slot*ChunkBytes, content); err != nil {
		return err
	}
	return c.memory.Commit()
}

// Get returns the chunk with a hash, nil if there is none. The error comes from the checkpoint file.
func (s *ChunkStore) Get(hash [32]byte) ([]byte, error) {
	found, ok := s.find(hash)
	if !ok {
		return nil, nil
	}
	return s.kept.read(&found)
}

func (c *chunks) read(from *chunk) ([]byte, error) {
	content := make([]byte, from.size)
	if err := c.memory.Peek(from.slot*ChunkBytes, content); err != nil {
		return nil, fmt.Errorf("read chunk %x: %w", from.hash, err)
	}
	return content, nil
}

// Hashes returns the hashes of all chunks in ascending order.
func (s *ChunkStore) Hashes() [][32]byte {
	hashes := make([][32]byte, s.Len())
	for i, c := range s.all() {
		hashes[i] = c.hash
	}
	return hashes
}

func (s *ChunkStore) all() []chunk {
	if s.kept == nil {
		return nil
	}
	return s.kept.order
}

func (s *ChunkStore) find(hash [32]byte) (found chunk, ok bool) {
	if s.kept == nil {
		return chunk{}, false
	}
	at, ok := s.kept.search(hash)
	if !ok {
		return chunk{}, false
	}
	return s.kept.order[at], true
}

func (c *chunks) search(hash [32]byte) (at int, found bool) {
	return slices.BinarySearchFunc(c.order, hash, func(c chunk, hash [32]byte) int { return compareHash(c.hash, hash) })
}

func compareHash(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) }

// Fork returns a store with the same chunks. Nothing is copied until one of the two gets another chunk.
func (s *ChunkStore) Fork() ChunkStore {
	if s.kept != nil {
		s.kept.users.Add(1)
	}
	return *s
}

// HeapDelta returns how many bytes a replica without a checkpoint yet holds as changes: whole pages of 4 KiB.
func (s *ChunkStore) HeapDelta() uint64 {
	var n uint64
	for _, c := range s.all() {
		n += (c.size + stable.OSPageSize - 1) &^ (stable.OSPageSize - 1)
	}
	return n
}

// Clear empties the store.
func (s *ChunkStore) Clear() {
	if s.kept != nil && s.kept.users.Add(-1) == 0 {
		s.kept.memory.Close()
	}
	s.kept = nil
}
