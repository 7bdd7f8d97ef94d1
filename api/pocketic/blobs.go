package pocketic

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/budget"
)

// blob is an uploaded blob.
type blob struct {
	content []byte
	gzip    bool                // content is compressed
	memory  *budget.Reservation // of content
}

// blobs holds the blobs of all clients, by the hash of the upload. PocketIC never drops one.
type blobs struct {
	mu    sync.Mutex // guards what follows
	kept  map[string]blob
	order []string // of kept, the one that was uploaded first at the front
}

// put keeps a blob, which owns its memory from now on.
func (b *blobs) put(added blob) (id []byte) {
	id = hashOf(added.content)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = make(map[string]blob)
	}
	key := string(id)
	if before, again := b.kept[key]; again {
		before.memory.Release()
		b.order = slices.DeleteFunc(b.order, func(k string) bool { return k == key })
	}
	b.kept[key] = added
	b.order = append(b.order, key)
	return id
}

func hashOf(content []byte) []byte {
	hash := sha256.New()
	for piece := range slices.Chunk(content, pieceBytes) {
		hash.Write(piece)
	}
	return hash.Sum(nil)
}

// dropOldest drops the blob that was uploaded first, and returns false if there is none. An operation that uses it
// keeps it.
func (b *blobs) dropOldest() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.order) == 0 {
		return false
	}
	oldest := b.kept[b.order[0]]
	delete(b.kept, b.order[0])
	b.order = b.order[1:]
	oldest.memory.Release()
	return true
}

func (b *blobs) get(id []byte) (blob, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, ok := b.kept[string(id)]
	return found, ok
}

const gzipped = "gzip"

// putBlob serves POST /blobstore: it returns the hash of the bytes as they were sent.
func (s *Server) putBlob(w http.ResponseWriter, r *http.Request) {
	encoding := r.Header.Get("Content-Encoding")
	if encoding != "" && encoding != gzipped {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("Bad encoding: Only 'gzip' content encoding is supported"))
		return
	}
	memory := s.memory.NewReservation()
	content, err := s.readAll(r.Body, r.ContentLength, canister.MaxStableBytes, 1, memory)
	if err == nil {
		err = s.grow(memory, blobCost)
	}
	if err != nil {
		memory.Release()
		refuse(w, err)
		return
	}
	id := s.blobs.put(blob{content, encoding == gzipped, memory})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(hex.EncodeToString(id)))
}

// getBlob serves GET /blobstore/{hex}.
func (s *Server) getBlob(w http.ResponseWriter, r *http.Request) {
	id, err := hex.DecodeString(r.PathValue("hex"))
	if err != nil || len(id) != sha256.Size {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	found, ok := s.blobs.get(id)
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if found.gzip {
		w.Header().Set("Content-Encoding", gzipped)
	}
	_, _ = w.Write(found.content)
}
