package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("the state directory is closed")

// NewerError reports a directory with a layout that is newer than this program.
type NewerError struct {
	Dir     string
	Version string
}

// Error names both versions.
func (e *NewerError) Error() string {
	return fmt.Sprintf("state directory %q has version %s of the layout, and this canisterd knows versions up to %d: use the canisterd that wrote it, or a newer one", e.Dir, e.Version, Version)
}

// LockedError reports a directory that another process has open.
type LockedError struct {
	Dir string
	Err error
}

// Error says what to do to start the daemon.
func (e *LockedError) Error() string {
	return fmt.Sprintf("state directory %q is in use by another canisterd: stop that one (canisterd stop), or start with another directory (--state-dir) or none (--ephemeral): %v", e.Dir, e.Err)
}

// Reason is the text for commands that work on the directory itself.
func (e *LockedError) Reason() string {
	return fmt.Sprintf("state directory %q is in use by a canisterd: stop it first (canisterd stop): %v", e.Dir, e.Err)
}

// Unwrap returns the error of the system.
func (e *LockedError) Unwrap() error { return e.Err }

// ForeignError reports a directory with files that do not belong to a state directory.
type ForeignError struct {
	Dir, File string
}

// Error names one of the files.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("folder %q is not empty and is not a state directory: it has %q, but no file FORMAT; name an empty folder, or one that does not exist", e.Dir, e.File)
}

// DamagedError reports damage in a directory.
type DamagedError struct {
	Dir, File string
	Err       error
}

// Error names the file and the commands that help.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("state directory %q is damaged: %s; run canisterd state check to see what is left, and canisterd state repair to continue from it", e.Dir, e.Reason())
}

// storeText puts an error text of the store on one line, and removes the details that only help its developers.
var storeText = strings.NewReplacer("\n<corruption detail carrier>", "", "pebble: file 000000: ", "", "\n", "; ")

// Reason returns the error on one line without the directory and the commands, for texts that contain both.
func (e *DamagedError) Reason() string {
	text := e.Err.Error()
	if within, ok := errors.AsType[*DamagedError](e.Err); ok {
		text = strings.ReplaceAll(text, within.Error(), within.Reason())
	}
	return e.File + ": " + storeText.Replace(text)
}

// Unwrap returns the error about the file.
func (e *DamagedError) Unwrap() error { return e.Err }

// FailedError reports that the system could not read or write the directory. Records that were on disk before are safe.
// The journal keeps no more.
type FailedError struct {
	Dir string
	Err error // the operation and the error of the system
	New bool  // the directory never held anything
}

// Error says what to do.
func (e *FailedError) Error() string {
	return fmt.Sprintf("state directory %q cannot be used: %s", e.Dir, e.Reason())
}

// Reason returns the error without the directory, for texts that name it.
func (e *FailedError) Reason() string {
	text := fmt.Sprintf("%v; %s, then start again", e.Err, e.remedy())
	if e.New {
		return text
	}
	return text + ": everything that was acknowledged is safe"
}

// Unwrap returns the error of the system.
func (e *FailedError) Unwrap() error { return e.Err }

// remedies lists what the user can do about errors of the system.
var remedies = []struct {
	err  error
	text string
}{
	{syscall.ENOSPC, "the disk is full: free space on it"},
	{syscall.EDQUOT, "your disk quota is used up: free space on the disk"},
	{syscall.EROFS, "the file system is read-only: mount it for writing, or name another directory"},
	{fs.ErrPermission, "give this user the right to write to the directory, or name another one"},
	{syscall.EMFILE, "too many files are open: raise the limit (ulimit -n)"},
	{syscall.ENFILE, "too many files are open on this system: close other programs"},
	{syscall.EIO, "the disk fails: see the system log"},
}

func (e *FailedError) remedy() string {
	for _, r := range remedies {
		if errors.Is(e.Err, r.err) {
			return r.text
		}
	}
	return "check the disk"
}

// openError returns the error for a file that cannot be opened. Running out of descriptors, for example, is not damage:
// a repair must not remove the file.
func openError(dir, file string, err error) error {
	if isSystemError(err) && !errors.Is(err, syscall.EIO) {
		return &FailedError{Dir: dir, Err: err}
	}
	return &DamagedError{dir, file, err}
}

// isSystemError reports whether an error is about the system, not about the content of a file.
func isSystemError(err error) bool {
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return true
		}
	}
	return false
}
