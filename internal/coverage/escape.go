package coverage

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable returns a name on one line in which nothing is hidden: control characters, line breaks and changes of the
// writing direction become escapes, and a long name is cut.
func printable(name string) string {
	cut := ""
	if utf8.RuneCountInString(name) > MaxNameRunes {
		at := 0
		for range MaxNameRunes {
			_, size := utf8.DecodeRuneInString(name[at:])
			at += size
		}
		name, cut = name[:at], "…"
	}
	quoted := strconv.Quote(name)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + cut
}
