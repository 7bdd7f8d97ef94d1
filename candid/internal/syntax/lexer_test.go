package syntax

import (
	"strings"
	"testing"
)

const most = 1 << 20

func tokens(src string) ([]Token, error) {
	l, err := NewLexer(src, most)
	if err != nil {
		return nil, err
	}
	var all []Token
	for {
		t, err := l.Next()
		if err != nil || t.Kind == EOF {
			return all, err
		}
		all = append(all, t)
	}
}

func TestATextIsCutIntoItsTokens(t *testing.T) {
	for src, want := range map[string]string{
		"a -> b_1":                `I"a" P"->" I"b_1"`,
		"1_000 0xF_f 010":         `N"1000" N"0xFf" N"010"`,
		"1. 1.5 1e-3 2.5E+1":      `F"1." F"1.5" F"1e-3" F"2.5E+1"`,
		"0x1.8 0xap-1":            `F"0x1.8p0" F"0xap-1"`,
		`"a\n\61\u{26_03}"`:       `T"a\na☃"`,
		`"plain" . -1`:            `T"plain" P"." P"-" N"1"`,
		"a// b\nc/* d /* e */ */": `I"a" I"c"`,
		"\t\r\n":                  ``,
		"(){};,:=!+":              `P"(" P")" P"{" P"}" P";" P"," P":" P"=" P"!" P"+"`,
	} {
		all, err := tokens(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		shown := make([]string, len(all))
		for i, tok := range all {
			shown[i] = string("EITNFP"[tok.Kind]) + Quote(tok.Text)
		}
		if got := strings.Join(shown, " "); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestFaultsNameTheirLineAndColumn(t *testing.T) {
	_, err := tokens("a\n  b #")
	if err == nil || err.Error() != "line 2, column 5: the character '#' has no meaning here" {
		t.Errorf("got %v", err)
	}
	if _, err := NewLexer(strings.Repeat(" ", most+1), most); err == nil {
		t.Error("a text over the limit was taken")
	}
}

func FuzzQuotedBytesReadBackTheSame(f *testing.F) {
	f.Add("a\"\\\n\x00\xff☃\u2028")
	f.Add("\xe2\x98")
	f.Fuzz(func(t *testing.T, s string) {
		for _, quoted := range []string{Quote(s), string(AppendBlob(nil, []byte(s)))} {
			all, err := tokens(quoted)
			if err != nil || len(all) != 1 || all[0].Kind != Text || all[0].Text != s {
				t.Fatalf("%q quoted as %s reads as %v, %v", s, quoted, all, err)
			}
		}
		all, err := tokens(Name(s))
		if err != nil || len(all) != 1 || all[0].Text != s {
			t.Fatalf("the name %q written as %s reads as %v, %v", s, Name(s), all, err)
		}
	})
}
