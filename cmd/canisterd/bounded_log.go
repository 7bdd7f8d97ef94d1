package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

const (
	// maxLogBytes is the maximum size of the log of a daemon in the background. Ours.
	maxLogBytes = 8 << 20
	// maxTailBytes limits the part of a log that an error shows.
	maxTailBytes = 4 << 10
)

// boundedLog appends to a file of at most so many bytes: when it is full, its older half is dropped.
type boundedLog struct {
	mu   sync.Mutex // guards what follows
	file *os.File
	size int64
	most int64
}

// openBoundedLog opens a log, which may have lines of earlier daemons.
func openBoundedLog(path string, most int64) (*boundedLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	return &boundedLog{file: file, size: size, most: most}, nil
}

// Write appends to the log. Of a text that is longer than the log may be, the end is kept.
func (l *boundedLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := text[max(0, len(text)-int(l.most/2)):]
	if l.size+int64(len(kept)) > l.most {
		if err := l.dropOlder(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(kept)
	l.size += int64(n)
	if err != nil {
		return n, err
	}
	return len(text), nil
}

// dropOlder keeps the whole lines in the newer half of the log. The file stays the same one: other processes, and the
// runtime of Go for a panic, append to it too.
func (l *boundedLog) dropOlder() error {
	newer := make([]byte, min(l.size, l.most/2))
	if _, err := l.file.ReadAt(newer, l.size-int64(len(newer))); err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	_, newer, _ = bytes.Cut(newer, []byte("\n"))
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("shortening the log: %w", err)
	}
	n, err := l.file.Write(newer)
	l.size = int64(n)
	return err
}

// logTail returns the end of what was written to a log from an offset on.
func logTail(path string, from int64) string {
	file, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }() // only for reading
	info, err := file.Stat()
	if err != nil {
		return err.Error()
	}
	if from > info.Size() { // it was shortened
		from = 0
	}
	begin := max(from, info.Size()-maxTailBytes)
	text, err := io.ReadAll(io.NewSectionReader(file, begin, info.Size()-begin))
	if err != nil {
		return err.Error()
	}
	if begin > from {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return strings.TrimRight(string(text), "\n")
}
