package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryOf is the memory of a process and its children, in bytes: private anonymous pages
// and the allocated blocks of memory files. Memory files are counted once, by their inode.
func memoryOf(pid int) int64 {
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

// limitFileSize makes writes of a process fail beyond an offset in any file, as on a full disk.
func limitFileSize(pid int, size uint64) error {
	limit := unix.Rlimit{Cur: size, Max: size}
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return fmt.Errorf("limiting the file size of the daemon: %w", err)
	}
	return nil
}
