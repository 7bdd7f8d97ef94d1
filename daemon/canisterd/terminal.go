package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// A colour as terminals take it (ECMA-48, "Select graphic rendition").
type colour string

const (
	plainText colour = ""
	faint     colour = "2"
	red       colour = "31"
	green     colour = "32"
	yellow    colour = "33"
	cyan      colour = "36"
)

// terminal reports whether a stream is one that a person looks at.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint colours text on a terminal; elsewhere, and where NO_COLOR is set, it leaves it alone.
func (c *cli) paint(as colour, text string) string {
	if as == plainText || os.Getenv("NO_COLOR") != "" || !terminal(c.out) {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}

// progressPause is how often a line of progress is drawn.
const progressPause = 100 * time.Millisecond

// progress draws how far long work has come: one line that is drawn over on a terminal, nothing elsewhere. total 0 is not known. done
// takes the line away.
func (c *cli) progress(what string, total int64) (tell func(bytes int64), done func()) {
	if !terminal(c.err) || c.json {
		return func(int64) {}, func() {}
	}
	var last time.Time
	tell = func(bytes int64) {
		if now := time.Now(); now.Sub(last) >= progressPause {
			last = now
			fmt.Fprintf(c.err, "\r\x1b[K%s %s", what, far(bytes, total))
		}
	}
	return tell, func() { fmt.Fprint(c.err, "\r\x1b[K") }
}

// barCells is how wide a bar of progress is.
const barCells = 24

func far(bytes, total int64) string {
	if total <= 0 {
		return size(bytes)
	}
	cells := int(min(bytes, total) * barCells / total)
	return fmt.Sprintf("[%s%s] %s of %s", strings.Repeat("=", cells), strings.Repeat(" ", barCells-cells), size(bytes), size(total))
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d B", bytes)
}

// count is a number of things for people.
func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
