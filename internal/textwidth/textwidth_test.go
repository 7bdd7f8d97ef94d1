package textwidth_test

import (
	"testing"

	"github.com/canisterd/canisterd/internal/textwidth"
)

func TestCharactersTakeAsManyCellsAsTerminalsGiveThem(t *testing.T) {
	for text, want := range map[string]int{
		"":                   0,
		"bank":               4,
		"größe":              5,
		"gro\u0308ße":        5, // with an accent of its own
		"銀行":                 4,
		"ｂａｎｋ":               8, // full width
		"ﾊﾞﾝｸ":               4, // half width
		"은행":                 4,
		"\u110b\u1173\u11ab": 2, // 은, letter by letter
		"🏦":                  2,
		"🏦🏦 bank":            9,
		"🇨🇭":                 2,
		"ที่นี่":             2, // vowels and tones stand above
		"a\u200bb":           2, // a space without width
		"·…─│✓":              5,
	} {
		if got := textwidth.Of(text); got != want {
			t.Errorf("%q takes %d cells, want %d", text, got, want)
		}
	}
}

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{
		{"bank", 4, "bank"},
		{"bank", 3, "ban"},
		{"bank", 0, ""},
		{"bank", -1, ""},
		{"", 3, ""},
		{"銀行", 4, "銀行"},
		{"銀行", 3, "銀"},
		{"銀行", 1, ""},
		{"o\u0308l", 1, "o\u0308"},
		{"o\u0308l", 0, ""},
	} {
		if got := textwidth.Cut(c.text, c.cells); got != c.want {
			t.Errorf("of %q in %d cells is left %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}
