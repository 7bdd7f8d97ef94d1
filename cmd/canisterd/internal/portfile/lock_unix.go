//go:build unix

package portfile

import (
	"os"
	"syscall"
)

// lockFile waits for the exclusive lock on an open file, until it is closed.
func lockFile(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }
