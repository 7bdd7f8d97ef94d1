package pocketic

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
)

// blob is an uploaded blob.
type blob struct {
	content []byte
	gzip    bool // content is compressed
}

// blobs holds the blobs of all clients, by the hash of the upload.
type blobs struct {
	mu   sync.Mutex // guards kept
	kept map[string]blob
}

func (b *blobs) put(added blob) (id []byte) {
	hash := sha256.Sum256(added.content)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = make(map[string]blob)
	}
	b.kept[string(hash[:])] = added
	return hash[:]
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
	content, err := readBody(r)
	if err != nil {
		refuse(w, err)
		return
	}
	id := s.blobs.put(blob{content, encoding == gzipped})
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
