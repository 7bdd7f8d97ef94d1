package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// colour is a colour of terminals (ECMA-48, "Select graphic rendition").
type colour string

const (
	plainText colour = ""
	faint     colour = "2"
	red       colour = "31"
	green     colour = "32"
	yellow    colour = "33"
	cyan      colour = "36"
)

// terminal reports whether a stream is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// paint colours text on a terminal, unless NO_COLOR is set.
func (c *cli) paint(as colour, text string) string {
	if text == "" || as == plainText || os.Getenv("NO_COLOR") != "" || !terminal(c.out) {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}

// size formats a number of bytes for people.
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

// grouped groups decimal digits by three, as in traces and for --cycles.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "_" + digits[at:]
	}
	return digits
}

// count formats a number of things for people.
func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
