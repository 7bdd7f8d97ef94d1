package daemon

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/internal/coverage/coverdir"
)

// coverageInterval is how often what ran is written, if something new ran: a test runner may kill the daemon.
const coverageInterval = time.Second

// measure begins to write which code of canisters runs.
func (d *Daemon) measure(dir string) (err error) {
	if dir == "" {
		return nil
	}
	d.coverage, err = coverdir.Open(dir)
	return err
}

// writeCoverage writes what ran until ctx ends. The daemon goes on if the disk is full: the next attempt may succeed.
func (d *Daemon) writeCoverage(ctx context.Context) {
	ticker := time.NewTicker(coverageInterval)
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
