package resources

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Memory is the memory of a process and its children, in bytes: private anonymous pages
// and the allocated blocks of memory files. Memory files are counted once, by their inode.
func Memory(pid int) int64 {
	files := map[uint64]int64{}
	total := anonymousOf(pid, files)
	for _, blocks := range files {
		total += blocks
	}
	return total
}

// anonymousOf is the private anonymous memory of a process and its children. A process
// that has ended meanwhile has none.
func anonymousOf(pid int, files map[uint64]int64) (total int64) {
	proc := "/proc/" + strconv.Itoa(pid)
	if status, err := os.ReadFile(proc + "/status"); err == nil {
		total += kilobytes(status, "RssAnon:") << 10
	}
	addMemoryFiles(proc, files)
	children, _ := filepath.Glob(proc + "/task/*/children")
	for _, path := range children {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				total += anonymousOf(child, files)
			}
		}
	}
	return total
}

// tick is the unit of CPU times in /proc, which Linux fixes for programs.
const tick = 10 * time.Millisecond

// CPU is the CPU time of a process, without its children. It is 0 if there is no such process.
func CPU(pid int) time.Duration {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// After the name in parentheses, the state is the first field; the user and system times are the 12th and 13th.
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

func kilobytes(status []byte, name string) int64 {
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), name); found {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // the kernel writes numbers
			return n
		}
	}
	return 0
}

// addMemoryFiles adds the memory files that a process has open.
func addMemoryFiles(proc string, files map[uint64]int64) {
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return
	}
	for _, entry := range open {
		path := proc + "/fd/" + entry.Name()
		var s unix.Stat_t
		if target, err := os.Readlink(path); err != nil || !strings.HasPrefix(target, "/memfd:") {
			continue
		}
		if unix.Stat(path, &s) == nil {
			files[s.Ino] = s.Blocks * 512
		}
	}
}

// Descriptors counts the open files of a process: those below a folder, and the others.
func Descriptors(pid int, folder string) (below, others int, err error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	open, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("listing the open files of process %d: %w", pid, err)
	}
	for _, entry := range open {
		target, err := os.Readlink(dir + "/" + entry.Name())
		switch {
		case err != nil: // it was closed meanwhile
		case strings.HasPrefix(target, folder+"/"):
			below++
		default:
			others++
		}
	}
	return below, others, nil
}

// Disk is how many bytes of a disk the files below a folder take. A file that is removed meanwhile does not count.
func Disk(folder string) (bytes int64, err error) {
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		var s unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &s)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		bytes += s.Blocks * 512
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measuring folder %q: %w", folder, err)
	}
	return bytes, nil
}
