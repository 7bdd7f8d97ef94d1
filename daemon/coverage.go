package daemon

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/internal/coverage/coverdir"
)

// measure begins to write which code of canisters runs.
func (d *Daemon) measure(dir string) (err error) {
	if dir == "" {
		return nil
	}
	if d.coverage, err = coverdir.Open(dir); err != nil {
		return err
	}
	return d.coverage.Announce()
}

// writeCoverage writes what ran until ctx ends. The daemon goes on if the disk is full: the next attempt may succeed.
func (d *Daemon) writeCoverage(ctx context.Context) {
	ticker := time.NewTicker(coverdir.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := d.coverage.Write(); err != nil {
				d.log.Warn("coverage cannot be written", "error", err)
			}
		}
	}
}
