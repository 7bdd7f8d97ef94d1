package golden

import (
	"strings"
	"testing"
)

// echo says its commands.
type echo struct{ said strings.Builder }

func (e *echo) Perform(command string) error {
	e.said.WriteString("did " + command)
	return nil
}

func (e *echo) Said() string {
	defer e.said.Reset()
	return e.said.String()
}

func TestAScriptIsGivenBackWithWhatItsCommandsSay(t *testing.T) {
	const script = "# about\none\ntwo\n  more\n----\nold\n\nthree\n"
	const want = "# about\none\ntwo\n  more\n----\ndid one\ndid two\n  more\n\nthree\n"
	if got := play(t, script, &echo{}); got != want && !Rewriting() {
		t.Errorf("the script is\n%s\nwant\n%s", got, want)
	}
}

func TestADifferenceIsShownWithItsLine(t *testing.T) {
	for _, c := range []struct{ want, got, shows string }{
		{"a\nb\nc", "a\nb\nc", ""},
		{"a\nb\nc", "a\nx\nc", "line 2\ngot:\nx\nc\nwant:\nb\nc"},
		{"a\nb", "a\nb\nc", "line 3\ngot:\nc\nwant:\n"},
		{"a\nb", "a", "line 2\ngot:\n\nwant:\nb"},
	} {
		if shows := FirstDifference(c.want, c.got); shows != c.shows {
			t.Errorf("%q and %q differ in %q, want %q", c.want, c.got, shows, c.shows)
		}
	}
}
