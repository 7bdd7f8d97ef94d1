package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limitFileSize makes writes of a process fail beyond an offset in any file, as on a full disk.
func limitFileSize(pid int, size uint64) error {
	limit := unix.Rlimit{Cur: size, Max: size}
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return fmt.Errorf("limiting the file size of the daemon: %w", err)
	}
	return nil
}
