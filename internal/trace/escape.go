package trace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Names returns the name of a canister or user; empty if it has none. nil: there are no names.
type Names func(principal.Principal) string

func (n Names) of(id principal.Principal) string {
	if n != nil {
		if name := n(id); name != "" {
			return printable(name)
		}
	}
	return id.String()
}

// printable returns text on one line in which nothing is hidden: control characters, line breaks and changes of the
// writing direction become escapes, and a long text is cut.
func printable(text string) string {
	cut := ""
	if n := utf8.RuneCountInString(text); n > MaxTextRunes {
		at := 0
		for range MaxTextRunes {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		text, cut = text[:at], fmt.Sprintf("… (%d bytes)", len(text))
	}
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + cut
}

// rejected formats a reject on one line, without its backtrace.
func rejected(r *intercanister.Reject) string {
	text, _, _ := strings.Cut(r.Text, "\n")
	if r.Error == 0 {
		return fmt.Sprintf("%s: %s", r.Code, printable(text))
	}
	return fmt.Sprintf("%s %s: %s", r.Code, r.Error, printable(text))
}

// grouped formats a number in groups of three digits.
func grouped(n uint64) string { return cycles.Of(n).Grouped() }
