package demangle

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// table are the names of testdata/names.txt with what rustc-demangle 0.1.28 prints for
// them in its alternate form: each name on a line, its text with a tab on the next.
func table(t testing.TB) (names, texts []string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		text, second := strings.CutPrefix(line, "\t")
		if second != (i%2 == 1) {
			t.Fatalf("line %d of the table is out of place: %s", i+1, line)
		}
		if second {
			texts = append(texts, text)
		} else {
			names = append(names, line)
		}
	}
	return names, texts
}

func TestNamesOfRustFunctionsAreReadAsTheReplicaReadsThem(t *testing.T) {
	names, texts := table(t)
	if len(names) < 100 {
		t.Fatalf("the table has %d names", len(names))
	}
	for i, name := range names {
		if got := Name(name); got != texts[i] {
			t.Errorf("%s is read as %s, want %s", name, got, texts[i])
		}
	}
}

// bomb is a symbol whose text doubles with each of its tuples, of which each refers
// to the one before twice.
func bomb(tuples int) string {
	symbol := "INvC1a1b" + "ThhE"
	at := len(symbol) - len("ThhE")
	for range tuples {
		next := len(symbol)
		symbol += "TB" + base62(at) + "B" + base62(at) + "E"
		at = next
	}
	return "_R" + symbol + "E"
}

func base62(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if n == 0 {
		return "_"
	}
	text := "_"
	for n--; ; n /= 62 {
		text = digits[n%62:n%62+1] + text
		if n < 62 {
			return text
		}
	}
}

func TestASymbolThatStandsForAnEndlessTextEndsAtTheLimit(t *testing.T) {
	const mark = "{size limit reached}"
	for name, symbol := range map[string]string{
		"text that doubles":              bomb(60),
		"a long path that is skipped":    "_RINvC1a1bXC" + "99990_" + strings.Repeat("x", 99990) + "hC1c" + strings.Repeat("B8_", 100_000) + "E",
		"many lifetimes":                 "_RINvC1a1bFGzzzzzzzz_EuE",
		"a number of a hundred thousand": "_RINvC1a1bKj" + strings.Repeat("f", 100_000) + "_" + strings.Repeat("KBb_", 100_000) + "E",
	} {
		text := Name(symbol)
		if read := math.MaxInt - checked(symbol[2:]).steps; read > len(symbol) {
			t.Errorf("%s: of %d bytes %d are read before it is printed", name, len(symbol), read)
		}
		if read := maxSteps - printed(symbol[2:]).steps; read > maxSteps+1 { // the one that is too many
			t.Errorf("%s: %d bytes are read, more than %d", name, read, maxSteps)
		}
		if !strings.HasSuffix(text, mark) || len(text) > maxTextBytes+len(mark) {
			t.Errorf("%s: %d bytes, which end with %q", name, len(text), text[max(0, len(text)-40):])
		}
	}
}

func TestAPartNestsAsDeeplyAsTheReplicaReads(t *testing.T) {
	nested := func(levels int) string {
		return "_RINvC1a1b" + strings.Repeat("S", levels) + "hE"
	}
	if text := Name(nested(499)); text != "a::b::<"+strings.Repeat("[", 499)+"u8"+strings.Repeat("]", 499)+">" {
		t.Errorf("at the limit: %s", text)
	}
	if text := Name(nested(500)); text != nested(500) {
		t.Errorf("above it: %s", text)
	}
}

func TestATextHas16KiBAndIsReadInAMillionSteps(t *testing.T) {
	named := func(length int) string { return fmt.Sprintf("_RNvC1a%d_%s", length, strings.Repeat("x", length)) }
	// Each back reference leads to a number of 99,990 digits and a name.
	far := func(references int) string {
		return "_RINvCs" + strings.Repeat("0", 99_990) + "_1a1b" + strings.Repeat("B2_", references) + "E"
	}
	for name, c := range map[string]struct{ symbol, text string }{
		"16,384 bytes":   {named(16_381), "a::" + strings.Repeat("x", 16_381)},
		"16,385 bytes":   {named(16_382), "a::{size limit reached}"},
		"999,953 steps":  {far(9), "a::b::<a" + strings.Repeat(", a", 8) + ">"},
		"a million more": {far(10), "a::b::<a" + strings.Repeat(", a", 8) + ", {size limit reached}"},
	} {
		if text := Name(c.symbol); text != c.text {
			t.Errorf("%s: %d bytes, which end with %q", name, len(text), text[max(0, len(text)-40):])
		}
	}
}

func TestAnIdentifierOf128CharactersIsDecoded(t *testing.T) {
	for ascii, want := range map[int]bool{127: true, 128: false} {
		text, ok := identifier{strings.Repeat("a", ascii), "tda"}.decode()
		if ok != want || ok && utf8.RuneCountInString(text) != 128 {
			t.Errorf("%d characters of ASCII and one more: %t, %q", ascii, ok, text)
		}
	}
}

func FuzzName(f *testing.F) {
	names, _ := table(f)
	for _, name := range names {
		f.Add(name)
	}
	f.Add(bomb(8))
	f.Fuzz(func(t *testing.T, name string) {
		text := Name(name)
		if most := max(len(name), maxTextBytes) + len("{size limit reached}") + len(name); len(text) > most {
			t.Errorf("%d bytes became %d", len(name), len(text))
		}
		if Name(name) != text {
			t.Error("a name is read in two ways")
		}
	})
}
