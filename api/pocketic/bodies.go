package pocketic

import (
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/canisterd/canisterd/internal/budget"
)

// grow reserves n bytes more for a client. Kept blobs and results make room for them, the oldest first.
func (s *Server) grow(memory *budget.Reservation, n int64) error {
	for {
		err := memory.Grow(n)
		if err == nil || !s.blobs.dropOldest() && !s.operations.dropOldest() {
			return err
		}
	}
}

// readBody returns the body of a request that is JSON of at most so many bytes. Its bytes, and those of what it is
// decoded to, count in memory as they arrive.
func (s *Server) readBody(r *http.Request, most int64, memory *budget.Reservation) ([]byte, error) {
	return s.readAll(r.Body, r.ContentLength, most, jsonCost, memory)
}

// readAll reads up to most bytes, and reserves cost times as many. expected is the number of bytes that a client has
// announced, -1 for none: they take nothing from others before they arrive.
func (s *Server) readAll(from io.Reader, expected, most, cost int64, memory *budget.Reservation) ([]byte, error) {
	var content []byte
	for {
		if have := int64(cap(content)); int64(len(content)) == have {
			size := max(firstBody, 2*have)
			if expected >= have && expected < size {
				size = expected + 1 // for the read that finds the end
			}
			size = min(size, most+1)
			if have == size {
				return nil, &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes: that is the limit here", most)}
			}
			if err := s.grow(memory, (size-have)*cost); err != nil {
				return nil, err
			}
			grown := make([]byte, 0, size)
			for piece := range slices.Chunk(content, pieceBytes) {
				grown = append(grown, piece...)
			}
			content = grown
		}
		n, err := from.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case err == io.EOF && int64(len(content)) <= most:
			return content, nil
		case err != nil && err != io.EOF:
			return nil, failed("Failed to buffer the request body: %v", err)
		}
	}
}
