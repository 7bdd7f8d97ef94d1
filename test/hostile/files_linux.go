package main

import (
	"fmt"
	"os"

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

// strangeFiles make files that do not end, or whose opening waits.
var strangeFiles = []func(path string) error{
	func(path string) error { return os.Symlink("/dev/zero", path) },
	func(path string) error {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // nothing was written
		return file.Truncate(8 << 40)
	},
	func(path string) error { return unix.Mkfifo(path, 0o600) },
}
