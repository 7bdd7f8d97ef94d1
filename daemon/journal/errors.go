package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
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

// Error says what to do for a start.
func (e *LockedError) Error() string {
	return fmt.Sprintf("state directory %q is in use by another canisterd: stop that one (canisterd stop), or start with another directory (--state-dir) or none (--ephemeral): %v", e.Dir, e.Err)
}

// Reason is the error for work on the directory itself.
func (e *LockedError) Reason() string {
	return fmt.Sprintf("state directory %q is in use by a canisterd: stop it first (canisterd stop): %v", e.Dir, e.Err)
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

// Error names the file and the commands that help.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("state directory %q is damaged: %s; canisterd state check says what is left, canisterd state repair goes on from it", e.Dir, e.Reason())
}

// ofTheStore puts the texts of the store in one line, without what is for its makers.
var ofTheStore = strings.NewReplacer("\n<corruption detail carrier>", "", "pebble: file 000000: ", "", "\n", "; ")

// Reason is the error without the directory and the commands, in one line, for texts that have them already.
func (e *DamagedError) Reason() string {
	text := e.Err.Error()
	if within, ok := errors.AsType[*DamagedError](e.Err); ok {
		text = strings.ReplaceAll(text, within.Error(), within.Reason())
	}
	return e.File + ": " + ofTheStore.Replace(text)
}

// Unwrap is what is wrong with the file.
func (e *DamagedError) Unwrap() error { return e.Err }

// FailedError says that the system does not let a directory be read or written. What was on disk before is there; the
// journal keeps nothing more.
type FailedError struct {
	Dir string
	Err error // what was done, and what the system says
	New bool  // nothing was ever kept in it
}

// Error says what to do.
func (e *FailedError) Error() string {
	return fmt.Sprintf("state directory %q cannot be used: %s", e.Dir, e.Reason())
}

// Reason is the error without the directory, for texts that name it already.
func (e *FailedError) Reason() string {
	text := fmt.Sprintf("%v; %s, then start again", e.Err, e.remedy())
	if e.New {
		return text
	}
	return text + ": everything that was acknowledged is there"
}

// Unwrap is what the system says.
func (e *FailedError) Unwrap() error { return e.Err }

// remedies are what to do about errors of the system.
var remedies = []struct {
	err  error
	text string
}{
	{syscall.ENOSPC, "the disk is full: free space on it"},
	{syscall.EDQUOT, "your quota of the disk is used up: free space on it"},
	{syscall.EROFS, "the file system is read-only: mount it for writing, or name another directory"},
	{fs.ErrPermission, "give this user the right to write to the directory, or name another one"},
	{syscall.EMFILE, "too many files are open: raise the limit (ulimit -n)"},
	{syscall.ENFILE, "too many files are open on this system: close other programs"},
	{syscall.EIO, "the disk fails: see the log of the system"},
}

func (e *FailedError) remedy() string {
	for _, r := range remedies {
		if errors.Is(e.Err, r.err) {
			return r.text
		}
	}
	return "see to the disk"
}

// unopened is the error of a file that cannot be opened. A process without descriptors says nothing of the file, and a
// repair must not remove it.
func unopened(dir, file string, err error) error {
	if isOfSystem(err) && !errors.Is(err, syscall.EIO) {
		return &FailedError{Dir: dir, Err: err}
	}
	return &DamagedError{dir, file, err}
}

// isOfSystem reports whether an error tells of the system, and not of what is in a file.
func isOfSystem(err error) bool {
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return true
		}
	}
	return false
}
