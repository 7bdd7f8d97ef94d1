package checkpoint

import (
	"errors"
	"fmt"
	"os"
)

// ErrFull is wrapped by every error that reports that the file cannot take more bytes.
var ErrFull = errors.New("the checkpoint file is full")

// full returns the error of size bytes that the file did not take. It names only the folder, because a reader can act
// on that.
func (c *File) full(size int64, cause error) error {
	if path, ok := errors.AsType[*os.PathError](cause); ok {
		cause = path.Err
	}
	if c.memory {
		return fmt.Errorf("%w: no room for %d bytes in memory; give the process more memory, or a folder to keep its state in, and try again: %w",
			ErrFull, size, cause)
	}
	return fmt.Errorf("%w: no room for %d bytes in %s; free space on the disk of this folder and try again: %w", ErrFull, size, c.folder, cause)
}
