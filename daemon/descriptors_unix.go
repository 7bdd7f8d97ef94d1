//go:build unix

package daemon

import (
	"errors"
	"syscall"
)

// descriptors is how many descriptors the process may have. The Go runtime has raised the
// soft limit to the hard one when the process started.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fallbackDescriptors
	}
	return limit.Cur
}

// outOfDescriptors reports whether an error says that no descriptor is free.
func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
