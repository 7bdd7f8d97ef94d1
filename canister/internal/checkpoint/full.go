package checkpoint

import (
	"errors"
	"fmt"
)

// ErrFull is wrapped by every error that says the file cannot take more bytes.
var ErrFull = errors.New("the checkpoint file is full")

// full is the error of size bytes that the file did not take.
func (c *File) full(size int64, cause error) error {
	if c.memory {
		return fmt.Errorf("%w: no room for %d bytes in memory; give the process more memory, or a folder to keep its state in, and try again: %w",
			ErrFull, size, cause)
	}
	return fmt.Errorf("%w: no room for %d bytes in %s; free space on the disk of this folder and try again: %w", ErrFull, size, c.folder, cause)
}
