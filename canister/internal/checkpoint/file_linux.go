package checkpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// create returns a file without a name: it is gone when the process ends, for any reason. A folder on tmpfs is memory
// with a limit, and writing to a private mapping of a hole in it needs memory from there: past the limit that is a
// fatal fault. So create uses memory without its own limit instead.
func create(dir string) (f *os.File, remove string, memory bool, err error) {
	if dir == "" || onTmpfs(dir) {
		fd, err := unix.MemfdCreate("canisterd-checkpoint", unix.MFD_CLOEXEC)
		if err == nil {
			return os.NewFile(uintptr(fd), "checkpoint"), "", true, nil
		}
	}
	f, err = os.CreateTemp(dir, "checkpoint-*")
	if err != nil {
		return nil, "", false, err
	}
	name := f.Name()
	if os.Remove(name) == nil {
		name = "" // otherwise Close removes it
	}
	return f, name, false, nil
}

func onTmpfs(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Type == unix.TMPFS_MAGIC
}

func prepare(*os.File) error { return nil }

func punch(f *os.File, offset, size int64) error {
	return retry(func() error {
		return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, offset, size)
	})
}

// reserve is a guarantee only if the file system supports it; otherwise the write itself reports the lack of space.
func reserve(f *os.File, offset, size int64) error {
	err := retry(func() error { return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, offset, size) })
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return nil
	}
	return err
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// Bytes outside the window are read with system calls: only the time of reading depends on its size.
const (
	// windowSize is how much of the file is mapped for reading; if the address space is too small, a quarter of it is
	// tried.
	windowSize = 4 << 40
	// minWindow is the smallest window worth having.
	minWindow = 16 << 30
)

func mapWindow(f *os.File, write bool) []byte {
	protection := unix.PROT_READ
	if write {
		protection |= unix.PROT_WRITE
	}
	for size := int64(windowSize); size >= minWindow; size /= 4 {
		if w, err := unix.Mmap(int(f.Fd()), 0, int(size), protection, unix.MAP_SHARED|unix.MAP_NORESERVE); err == nil {
			return w
		}
	}
	return nil
}

func unmapWindow(w []byte) error {
	if w == nil {
		return nil
	}
	return unix.Munmap(w)
}
