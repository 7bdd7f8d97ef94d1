package pocketic

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/replica"
)

// getStableMemory serves POST read/get_stable_memory: all of it, which may be more than this machine has memory.
func (s *Server) getStableMemory(ctx context.Context, e *entry, body []byte) (any, error) {
	id, err := subject(body)
	if err != nil {
		return nil, err
	}
	memories, err := e.memories(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.streams.open(memories)
}

// streams holds the stable memories that are sent, or kept to be sent, so that none is read when the daemon closes
// what it lies in.
type streams struct {
	mu     sync.Mutex // guards what follows
	closed bool
	all    map[*stableContent]struct{}
}

// open makes the content of memories, which it owns from now on.
func (s *streams) open(memories *canister.Memories) (any, error) {
	c := &stableContent{of: s, memories: memories}
	if !s.add(c) {
		c.Close()
		return nil, update("Instance was deleted")
	}
	return c, nil
}

// add returns false after close.
func (s *streams) add(c *stableContent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[*stableContent]struct{})
	}
	if !s.closed {
		s.all[c] = struct{}{}
	}
	return !s.closed
}

// close ends all; no more can be opened.
func (s *streams) close() {
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Keys(s.all))
	s.mu.Unlock()
	for _, c := range all {
		c.Close()
	}
}

// streamed is a value of an operation that is sent in pieces. It may be sent more than once.
type streamed interface {
	send(w http.ResponseWriter)
	Close()
}

// stableContent is the content of a stable memory at one time.
type stableContent struct {
	of       *streams
	mu       sync.RWMutex // held while memories are read, and to close them
	closed   bool
	memories *canister.Memories
}

// send writes {"blob": CONTENT}.
func (c *stableContent) send(w http.ResponseWriter) {
	const before, after = `{"blob":"`, `"}`
	size := c.memories.StableSize()
	w.Header().Set(contentTypeHeader, typeJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(before)+base64.StdEncoding.EncodedLen(int(size))+len(after)))
	_, err := io.WriteString(w, before)
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	piece := make([]byte, min(size, stablePiece))
	for at := uint64(0); at < size && err == nil; at += uint64(len(piece)) {
		piece = piece[:min(size-at, stablePiece)]
		if err = c.read(at, piece); err == nil {
			_, err = encoder.Write(piece)
		}
	}
	if err == nil {
		err = encoder.Close()
	}
	if err == nil {
		_, err = io.WriteString(w, after)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client sees that the answer is not whole
	}
}

// read reads a piece, if the memories are still there.
func (c *stableContent) read(at uint64, piece []byte) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return io.ErrClosedPipe
	}
	return c.memories.ReadStable(at, piece)
}

// Close releases the memories.
func (c *stableContent) Close() {
	c.of.mu.Lock()
	delete(c.of.all, c)
	c.of.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.memories.Close()
	}
}

// setStableMemory serves POST update/set_stable_memory: it replaces all of it by a blob.
func (s *Server) setStableMemory(ctx context.Context, e *entry, body []byte) (any, error) {
	var in struct {
		rawCanister
		Blob []byte `json:"blob_id"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	id, err := in.read()
	if err != nil {
		return nil, err
	}
	blob, ok := s.blobs.get(in.Blob)
	if !ok {
		return nil, conversion("Bad blob id")
	}
	memory := s.memory.NewReservation()
	defer memory.Release()
	content := blob.content
	if blob.gzip {
		if content, err = s.inflate(ctx, content, memory); err != nil {
			return nil, err
		}
	}
	report, err := e.report(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case report.Module == nil:
		return nil, canisterIsEmpty(id)
	}
	_, err = e.apply(ctx, replica.SetStableMemory{Canister: id, Content: content})
	return nil, err
}

// inflate decompresses a blob. It does so twice, because a blob can inflate to a thousand times its size: the first time
// only counts the bytes, and reserves them, before any is kept.
func (s *Server) inflate(ctx context.Context, content []byte, memory *budget.Reservation) ([]byte, error) {
	select {
	case s.inflating <- struct{}{}:
		defer func() { <-s.inflating }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	length, err := s.inflatedLength(content, memory)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, conversion("Decompression failed")
	}
	inflated := make([]byte, length)
	for piece := range slices.Chunk(inflated, pieceBytes) {
		if _, err := io.ReadFull(reader, piece); err != nil {
			return nil, conversion("Decompression failed")
		}
		runtime.Gosched()
	}
	return inflated, nil
}

// inflatedLength is how many bytes a blob inflates to. They count in memory.
func (s *Server) inflatedLength(content []byte, memory *budget.Reservation) (int64, error) {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return 0, conversion("Decompression failed")
	}
	var length int64
	for {
		n, err := io.CopyN(io.Discard, reader, pieceBytes)
		length += n
		switch {
		case err != nil && err != io.EOF:
			return 0, conversion("Decompression failed")
		case length > canister.MaxStableBytes:
			return 0, bodyTooLong(canister.MaxStableBytes)
		}
		if err := s.grow(memory, n); err != nil {
			return 0, err
		}
		if err == io.EOF {
			return length, nil
		}
		runtime.Gosched() // messages of all instances wait for one piece, and not for the scheduler's 10 ms
	}
}
