// Package portfile is the file in which the server of PocketIC's interface tells its clients its port.
//
// It owns who may write the file. It must not know the server.
package portfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	// patience is how long a starting server may take to write its port, and a running server to answer. Ours.
	patience = 5 * time.Second
	// pause is the time between two reads of a port file. Ours.
	pause = 20 * time.Millisecond
)

// Claim creates the port file. If several servers want the same file, one serves: the others get fs.ErrExist. The
// steps are those of PocketIC, with one more:
//
//  1. Create the file, exclusively. The server that creates it serves.
//  2. If it exists, its server may still be starting: wait until the port is in it.
//  3. If a server answers at that port, it serves.
//  4. Otherwise a killed server has left the file. Remove it and start again.
//     PocketIC leaves it there, so that its clients wait forever or use a dead port.
func Claim(ctx context.Context, path string) (publish func(port int) error, remove func(), err error) {
	if path == "" {
		return func(int) error { return nil }, func() {}, nil
	}
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			publish = func(port int) error {
				_, err := fmt.Fprintf(file, "%d\n", port)
				return errors.Join(err, file.Close())
			}
			return publish, func() { _ = os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, nil, fmt.Errorf("creating the port file: %w", err)
		}
		found, err := readPort(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its server has ended
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the port file: %w", err)
		}
		if answersAt(ctx, found) {
			return nil, nil, fs.ErrExist
		}
		if err := removeStale(path, found); err != nil {
			return nil, nil, err
		}
	}
}

// readPort returns the content of a port file, once there is a line in it or its server has had the time to write one.
func readPort(path string) (text []byte, err error) {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		text, err = os.ReadFile(path)
		if err != nil || bytes.HasSuffix(text, []byte("\n")) || time.Now().After(end) {
			return text, err
		}
	}
}

// answersAt reports whether a server of PocketIC's interface answers at the port. One that takes too long is busy, and
// counts.
func answersAt(ctx context.Context, text []byte) bool {
	port, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 16)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))+"/status", http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return true
	}
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// removeStale removes a port file that a killed server has left. Several processes may find it at once: a lock on the
// file lets one at a time check whether the path still leads to it.
func removeStale(path string, left []byte) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing the stale port file: %w", err)
	}
	defer func() { _ = file.Close() }() // this unlocks it
	if err := lockFile(file); err != nil {
		return fmt.Errorf("locking the port file %s: %w", path, err)
	}
	locked, err := file.Stat()
	if err != nil {
		return fmt.Errorf("removing the stale port file: %w", err)
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(locked, now) {
		return nil // another process removed it
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, left) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing the stale port file: %w", err)
	}
	return nil
}
