package workqueue

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// spooled is a base in a temporary file, which several workers read at the same time.
type spooled struct {
	file   *os.File
	digest string // SHA-256, in hex
}

// spool writes a base into a file. The caller closes it.
func spool(write func(io.Writer) error) (*spooled, error) {
	file, err := os.CreateTemp("", "canisterd-explore-*")
	if err != nil {
		return nil, err
	}
	s := &spooled{file: file}
	to := &limitedWriter{file: file, hash: sha256.New()}
	if err := write(to); err != nil {
		s.close()
		return nil, err
	}
	s.digest = hex.EncodeToString(to.hash.Sum(nil))
	return s, nil
}

// limitedWriter writes up to baseBytes to a file, and hashes them.
type limitedWriter struct {
	file    *os.File
	hash    hash.Hash
	written int64
}

// Write writes to the file.
func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.written+int64(len(p)) > baseBytes {
		return 0, fmt.Errorf("the network has more than %d bytes, the limit for workers in other processes", int64(baseBytes))
	}
	w.written += int64(len(p))
	_, _ = w.hash.Write(p) // never fails
	return w.file.Write(p)
}

// send sends the base in parts.
func (s *spooled) send(send func(*workerv1.ReadResponse) error) error {
	for at := int64(0); ; {
		part := make([]byte, partBytes) // gRPC may still have the one before
		n, err := s.file.ReadAt(part, at)
		if n > 0 {
			if err := send(&workerv1.ReadResponse{Part: part[:n]}); err != nil {
				return err
			}
			at += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrClosed):
			return status.Error(codes.NotFound, "the exploration is over")
		case err != nil:
			return fmt.Errorf("reading the base of the exploration: %w", err)
		}
	}
}

// close removes the file.
func (s *spooled) close() {
	_ = s.file.Close() // it was written without an error, or is not needed
	_ = os.Remove(s.file.Name())
}
