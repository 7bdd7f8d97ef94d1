package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnAnswerEndsAtALineAndSaysHowToGetTheRest(t *testing.T) {
	lines := strings.Repeat("a line of an answer\n", 1000)
	for full, most := range map[bool]int{false: 2 << 10, true: 64 << 10} {
		long := strings.Repeat(lines, 1+most/len(lines))
		text := bounded(long, full)
		kept, note, found := strings.Cut(text, "\n… ")
		if len(text) > most || len(text) < most-100 || !found || !strings.HasSuffix(kept, "a line of an answer") || strings.Contains(note, "full: true") == full {
			t.Errorf("the answer has %d bytes and ends with %q", len(text), text[len(text)-60:])
		}
	}
	if text := bounded("short\n\n", false); text != "short" {
		t.Errorf("a short answer is %q", text)
	}
	if text := bounded(strings.Repeat("ü", maxAnswer), false); !utf8.ValidString(text) || len(text) > maxAnswer {
		t.Errorf("a long line has %d bytes and ends with %q", len(text), text[len(text)-40:])
	}
}

func TestAValueHasOneShortLine(t *testing.T) {
	if got := short("(\n  1 : nat,\n)"); got != "( 1 : nat, )" {
		t.Errorf("it is %q", got)
	}
	for length, want := range map[int]string{200: "ü", 201: "…"} {
		if got := []rune(short(strings.Repeat("ü", length))); len(got) != 200 || string(got[199]) != want {
			t.Errorf("of %d characters it has %d, the last of which is %c", length, len(got), got[len(got)-1])
		}
	}
}
