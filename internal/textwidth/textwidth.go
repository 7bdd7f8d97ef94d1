package textwidth

import (
	"unicode"

	"golang.org/x/text/width"
)

// Of is how many cells a text takes. Emoji that are made of several (families, skin tones) take as many as their parts:
// only some terminals join them. Control characters must be removed first.
func Of(text string) int {
	n := 0
	for _, r := range text {
		n += of(r)
	}
	return n
}

// Cut is the part of a text that fits a number of cells: whole characters with the accents on them.
func Cut(text string, cells int) string {
	n := 0
	for at, r := range text {
		if n += of(r); n > cells {
			return text[:at]
		}
	}
	return text
}

// Fit is a text that fits a number of cells: the text, or its beginning with … behind it.
func Fit(text string, cells int) string {
	if Of(text) <= cells {
		return text
	}
	return Cut(text, cells-1) + "…"
}

func of(r rune) int {
	switch {
	case r < 0x300: // before the first accent; of these the soft hyphen is shown, too
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), unicode.Is(medial, r):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// medial are the vowels and final consonants of Hangul that stand in the cells of the consonant before them.
var medial = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x1160, Hi: 0x11ff, Stride: 1}, {Lo: 0xd7b0, Hi: 0xd7ff, Stride: 1}}}
