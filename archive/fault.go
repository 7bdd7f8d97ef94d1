package archive

import (
	"errors"
	"fmt"
)

// Fault says what is wrong with a file that is read, and where.
type Fault struct {
	Section string // empty outside of sections
	Offset  int64  // bytes of the file before the faulty frame
	Inside  int64  // bytes of the section's content before it; -1 if the frame itself is faulty
	Err     error
}

// Error returns the place and the fault.
func (f *Fault) Error() string {
	switch {
	case f.Section == "":
		return fmt.Sprintf("at byte %d of the file: %v", f.Offset, f.Err)
	case f.Inside < 0:
		return fmt.Sprintf("section %q, at byte %d of the file: %v", f.Section, f.Offset, f.Err)
	}
	return fmt.Sprintf("section %q, byte %d of its content, in the frame at byte %d of the file: %v", f.Section, f.Inside, f.Offset, f.Err)
}

// Unwrap returns the fault without its place.
func (f *Fault) Unwrap() error { return f.Err }

// ErrNoArchive is the fault of a file that is not an archive at all.
var ErrNoArchive = errors.New("this is no file with the state of a network: it does not begin as one")

// NewerError is the fault of a file of a version that this program does not know.
type NewerError struct{ Version uint32 }

// Error names both versions.
func (e *NewerError) Error() string {
	return fmt.Sprintf("the file has version %d of the format, and this canisterd reads versions up to %d: read it with the canisterd that wrote it, or a newer one", e.Version, Version)
}
