package journal

import (
	"errors"
	"fmt"
)

// ErrClosed is the error of a journal that was closed.
var ErrClosed = errors.New("the state directory is closed")

// NewerError says that a directory has a layout that this program does not know.
type NewerError struct {
	Dir     string
	Version string
}

// Error names both versions.
func (e *NewerError) Error() string {
	return fmt.Sprintf("state directory %q has version %s of the layout, and this canisterd knows versions up to %d: use the canisterd that wrote it, or a newer one", e.Dir, e.Version, Version)
}

// LockedError says that a directory is open elsewhere.
type LockedError struct {
	Dir string
	Err error
}

// Error says what to do.
func (e *LockedError) Error() string {
	return fmt.Sprintf("state directory %q is in use by another canisterd: stop that one (canisterd stop), or name another directory: %v", e.Dir, e.Err)
}

// Unwrap is what the system says.
func (e *LockedError) Unwrap() error { return e.Err }

// ForeignError says that a directory has files, but none of a state directory.
type ForeignError struct {
	Dir, File string
}

// Error names a file.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("folder %q is not empty and is no state directory: it has %q, but no file FORMAT; name an empty folder, or one that does not exist", e.Dir, e.File)
}

// DamagedError says what is damaged in a directory.
type DamagedError struct {
	Dir, File string
	Err       error
}

// Error names the file.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("state directory %q is damaged: %s: %v; canisterd state check says what is left, canisterd state repair goes on from it", e.Dir, e.File, e.Err)
}

// Unwrap is what is wrong with the file.
func (e *DamagedError) Unwrap() error { return e.Err }
