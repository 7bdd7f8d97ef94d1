package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/api/control/remote"
)

// bounded returns a text of at most the bytes of an answer. It ends at a line, and says how to get the rest.
func bounded(text string, full bool) string {
	text = strings.TrimRight(text, "\n")
	most, remedy := maxAnswer, "pass full: true for more"
	if full {
		most, remedy = maxFullAnswer, "that is the limit"
	}
	if len(text) <= most {
		return text
	}
	note := func(kept string) string { return fmt.Sprintf("\n… %d more bytes: %s", len(text)-len(kept), remedy) }
	kept := text[:most-len(note(""))]
	if line := strings.LastIndexByte(kept, '\n'); line > 0 {
		kept = kept[:line]
	}
	for !utf8.ValidString(kept) {
		kept = kept[:len(kept)-1]
	}
	return kept + note(kept)
}

// short returns a value of at most maxValue characters, on one line.
func short(value string) string {
	line := []rune(strings.Join(strings.Fields(value), " "))
	if len(line) <= maxValue {
		return string(line)
	}
	return string(line[:maxValue-1]) + "…"
}

// Reasons of the daemon: for calls that go on without their caller, and for instances that are gone.
const (
	unansweredReason      = "CALL_UNANSWERED"
	unknownInstanceReason = "INSTANCE_UNKNOWN"
)

// advice is the next step for refusals of the control API, by reason (docs/errors.md).
var advice = map[string]string{
	unansweredReason:      "why says what it waits for, time lets time pass",
	"CANISTER_UNKNOWN":    "deploy lists the canisters of an instance",
	unknownInstanceReason: "leave instance out for the one deployed last, or deploy again",
	"NO_SUCH_MOVE":        "time with steps: 0 lists what may happen next",
	"PACING_NOT_MANUAL":   "deploy with manual: true",
	"SNAPSHOT_EXISTS":     "delete it with state, or use another name",
	"SNAPSHOT_UNKNOWN":    "state with do: list lists snapshots",
	"TRACE_UNKNOWN":       "call a method first",
}

// explained returns the text of an error with the next step.
func explained(err error) string {
	reason, _ := remote.Reason(err)
	if next := advice[reason]; next != "" {
		return remote.Stated(err) + " (" + next + ")"
	}
	return remote.Text(err)
}
