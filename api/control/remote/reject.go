package remote

import (
	"fmt"
	"strconv"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Reject is a canister's reject as an error.
type Reject struct{ *controlv1.Reject }

// Error returns the reject in the words of the other clients, with its backtrace.
func (r *Reject) Error() string {
	return r.Summary() + r.Backtrace(func(id string) string { return id })
}

// Summary returns the reject without its backtrace.
func (r *Reject) Summary() string {
	if r.GetErrorCode() == "" {
		return fmt.Sprintf("rejected with code %d: %s", r.GetCode(), printable(r.GetText()))
	}
	return fmt.Sprintf("rejected with code %d (%s): %s", r.GetCode(), r.GetErrorCode(), printable(r.GetText()))
}

// Backtrace returns where the reject comes from, innermost first, each line after a line break: functions, and after
// the functions of a call the callee. It is "" if the text of the reject contains it and no source line is known. name
// returns the name of a canister.
func (r *Reject) Backtrace(name func(id string) string) string {
	all := r.GetBacktrace()
	called := func(i int) bool {
		return i == len(all)-1 || all[i].GetCanisterId() != all[i+1].GetCanisterId() || all[i].GetCallContext() != all[i+1].GetCallContext()
	}
	calls, located := 0, false
	for i, f := range all {
		if called(i) {
			calls++
		}
		located = located || f.GetFile() != ""
	}
	if calls < 2 && !located && (len(all) < 2 || strings.Contains(r.GetText(), "\nCanister Backtrace:\n")) {
		return ""
	}
	var text strings.Builder
	text.WriteString("\nbacktrace, innermost first:")
	for i, f := range all {
		switch {
		case !called(i):
			fmt.Fprintf(&text, "\n  %s%s", visible(f.GetFunction()), where(f))
		case f.GetCallContext() == 0:
			fmt.Fprintf(&text, "\nin %s.%s", name(f.GetCanisterId()), visible(f.GetFunction()))
		default:
			fmt.Fprintf(&text, "\nin %s.%s, call context %d", name(f.GetCanisterId()), visible(f.GetFunction()), f.GetCallContext())
		}
	}
	return text.String()
}

// where returns the source line of a frame in brackets; "" without one.
func where(f *controlv1.Frame) string {
	if f.GetFile() == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", visible(f.GetFile()), f.GetLine())
}

// printable returns the text of a canister or a trap with escapes in the place of characters that a terminal obeys, or
// that hide or reorder others. Lines remain.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		var shown strings.Builder
		for _, r := range line {
			if strconv.IsPrint(r) || r == '\t' {
				shown.WriteRune(r)
				continue
			}
			escaped := strconv.QuoteRune(r)
			shown.WriteString(escaped[1 : len(escaped)-1])
		}
		lines[i] = shown.String()
	}
	return strings.Join(lines, "\n")
}

// visible returns a name from a module, without characters that move the cursor of a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}
