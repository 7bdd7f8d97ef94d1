//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lockFolder locks a folder itself until it is closed: a lock file may be renamed or removed, and then another process
// would lock a new one.
func lockFolder(dir string) (*os.File, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) {
		return folder, nil // a file system without such locks has the lock file
	}
	return nil, errors.Join(err, folder.Close())
}
