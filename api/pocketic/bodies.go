package pocketic

import (
	"fmt"
	"io"
	"net/http"

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
	var pieces [][]byte
	var length int64
	for {
		size := min(max(firstBody, length), pieceBytes, most+1-length)
		if expected >= length {
			size = min(size, expected-length+1) // for the read that finds the end
		}
		if size == 0 {
			return nil, bodyTooLong(most)
		}
		if err := s.grow(memory, size*cost); err != nil {
			return nil, err
		}
		piece, err := fill(from, make([]byte, size))
		pieces = append(pieces, piece)
		length += int64(len(piece))
		switch {
		case err == io.EOF && length <= most:
			return join(pieces, length), nil
		case err != nil && err != io.EOF:
			return nil, failed("Failed to buffer the request body: %v", err)
		}
	}
}

// fill reads until the piece is full or the reader returns an error, and returns what was read. io.ReadFull would
// confuse the end with a client that has left, for which bodies return io.ErrUnexpectedEOF.
func fill(from io.Reader, piece []byte) ([]byte, error) {
	read := 0
	for read < len(piece) {
		n, err := from.Read(piece[read:])
		read += n
		if err != nil {
			return piece[:read], err
		}
	}
	return piece, nil
}

// join returns the pieces of a body as one, and drops each once it is copied.
func join(pieces [][]byte, length int64) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	content := make([]byte, 0, length)
	for i, piece := range pieces {
		content = append(content, piece...)
		pieces[i] = nil
	}
	return content
}

// bodyTooLong refuses a body of more than most bytes.
func bodyTooLong(most int64) error {
	return &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes: that is the limit here", most)}
}
