package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/textwidth"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// progressPause is how often a line of progress is drawn.
const progressPause = 100 * time.Millisecond

// progress shows the progress of a transfer. total is 0 if it is unknown. done removes the line.
func (c *cli) progress(what string, total int64) (tell func(bytes int64), done func()) {
	if !terminal(c.err) || c.json {
		return func(int64) {}, func() {}
	}
	var last time.Time
	tell = func(bytes int64) {
		all := total > 0 && bytes >= total
		if now := time.Now(); all || now.Sub(last) >= progressPause {
			last = now
			line := what + " " + far(bytes, total)
			if all {
				line += ", waiting for the daemon"
			}
			c.draw(line)
		}
	}
	return tell, c.erase
}

// transfer shows the progress of a transfer with its rate. done removes the line.
func (c *cli) transfer(what string) (tell func(bytes, total int64), done func()) {
	if !terminal(c.err) || c.json {
		return func(int64, int64) {}, func() {}
	}
	var began, last time.Time
	var at int64 // bytes that were there before
	tell = func(bytes, total int64) {
		now := time.Now()
		if began.IsZero() {
			began, at = now, bytes
		}
		if bytes < total && now.Sub(last) < progressPause {
			return
		}
		last = now
		line := what + " " + far(bytes, total)
		if passed := now.Sub(began).Seconds(); passed > 0 {
			line += fmt.Sprintf(", %s/s", size(int64(float64(bytes-at)/passed)))
		}
		c.draw(line)
	}
	return tell, c.erase
}

// doing shows what is in progress. done removes the line.
func (c *cli) doing(what string) (done func()) {
	if !terminal(c.err) || c.json {
		return func() {}
	}
	c.draw(what)
	return c.erase
}

// passing shows the time of the instance while a request lets it pass. done removes the line.
func (c *cli) passing(ctx context.Context, d *remote.Daemon) (done func()) {
	if !terminal(c.err) || c.json {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	drawn := make(chan struct{})
	go func() {
		defer close(drawn)
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				c.erase()
				return
			case <-tick.C:
				if now, err := d.Clock.GetTime(ctx, &controlv1.GetTimeRequest{Instance: c.instance}); err == nil {
					c.draw(fmt.Sprintf("%s after %s", stamp(now.GetTime()), count(now.GetHeight(), "round")))
				}
			}
		}
	}()
	return func() {
		cancel()
		<-drawn
	}
}

// draw overwrites the present line. A line wider than the terminal could not be overwritten.
func (c *cli) draw(line string) {
	if f, ok := c.err.(*os.File); ok {
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil {
			line = narrow(line, cells-1)
		}
	}
	fmt.Fprintf(c.err, "\r\x1b[K%s", line)
}

func (c *cli) erase() { fmt.Fprint(c.err, "\r\x1b[K") }

// narrow returns the part of a line that fits a number of cells.
func narrow(line string, room int) string {
	return textwidth.Cut(oneLine(line), room)
}

// barCells is the width of a progress bar.
const barCells = 24

func far(bytes, total int64) string {
	if total <= 0 {
		return size(bytes)
	}
	cells := int(min(bytes, total) * barCells / total)
	return fmt.Sprintf("[%s%s] %s of %s", strings.Repeat("=", cells), strings.Repeat(" ", barCells-cells), size(bytes), size(total))
}
