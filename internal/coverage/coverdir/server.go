package coverdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Announce tells readers that this process is a server, which writes once an Interval until it is closed.
func (w *Writer) Announce() error {
	if err := os.WriteFile(w.announcement(), nil, 0o600); err != nil {
		return fmt.Errorf("open the directory for coverage: %w", err)
	}
	return nil
}

// Close writes what ran and tells readers that no more will come.
func (w *Writer) Close() error {
	err := w.Write()
	if removed := os.Remove(w.announcement()); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// announcements are the files that servers have as long as they run; those that were killed leave theirs.
const announcements = "server-"

func (w *Writer) announcement() string {
	return filepath.Join(w.dir, announcements+strings.TrimSuffix(w.name, filepath.Ext(w.name)))
}

// AwaitServers returns when the servers that write to a directory have ended, or had the time to write what they ran
// before: they may outlive the tests that started them.
func AwaitServers(ctx context.Context, dir string) {
	written, cancel := context.WithTimeout(ctx, 2*Interval)
	defer cancel()
	look := time.NewTicker(awaitInterval)
	defer look.Stop()
	for written.Err() == nil {
		if running, err := filepath.Glob(filepath.Join(dir, announcements+"*")); err != nil || len(running) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-written.Done():
		}
	}
}
