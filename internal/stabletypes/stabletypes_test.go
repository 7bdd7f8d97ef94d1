package stabletypes

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// pair is one entry of testdata/pairs.txt.
type pair struct {
	title, old, next string
	moc              string // compatible or incompatible
}

func readPairs(t testing.TB) (head string, all []pair) {
	text, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "=== ")
	for _, part := range parts[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		old, rest, _ := strings.Cut(rest, "---\n")
		next, rest, found := strings.Cut(rest, "moc: ")
		if !found {
			t.Fatalf("%s: no line moc:", title)
		}
		moc, _, _ := strings.Cut(rest, "\n")
		all = append(all, pair{title, old, next, moc})
	}
	return parts[0], all
}

func TestPairsAreJudgedAsTheCompilerJudgesThem(t *testing.T) {
	head, all := readPairs(t)
	var written strings.Builder
	written.WriteString(head)
	for _, p := range all {
		fmt.Fprintf(&written, "=== %s\n%s---\n%smoc: %s\n", p.title, p.old, p.next, p.moc)
		differences := compared(t, p.old, p.next)
		if compatible := len(differences) == 0; compatible != (p.moc == "compatible") {
			t.Errorf("%s: found %q, but the compiler says %s", p.title, differences, p.moc)
		}
		for _, d := range differences {
			fmt.Fprintf(&written, "%s\n", d)
		}
	}
	golden.Compare(t, "testdata/pairs.txt", written.String())
}

func compared(t testing.TB, old, next string) []Difference {
	a, err := Parse(old)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse(next)
	if err != nil {
		t.Fatal(err)
	}
	differences, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return differences
}

func TestASignatureFitsItself(t *testing.T) {
	_, all := readPairs(t)
	for _, p := range all {
		if s, err := Parse(p.old); err != nil || len(s.chain) > 0 || s.before != nil && s.before[0].required {
			continue // a migration changes what it reads
		}
		if found := compared(t, p.old, p.old); len(found) > 0 {
			t.Errorf("%s: %v", p.title, found)
		}
	}
}

func TestMalformedSignaturesAreErrorsWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   `line 1: expected "actor" before the end`,
		"actor {\n stable var x : };":        `line 2: expected a type, found "}"`,
		"actor { stable var x : Nope };":     "type Nope is not defined",
		"actor { stable var x : Nat<Text> }": "type Nat is not defined",
		"type L<T> = ?T;\nactor { stable var x : L };":                     "type L has 1 parameters, but is used with 0",
		"type L = Nat;\ntype L = Text;\nactor {};":                         "line 2: type L is defined twice",
		"actor { stable x : Nat; stable x : Nat };":                        "variable x is declared twice",
		"actor { stable x : {a : Nat; a : Nat} };":                         "a occurs twice",
		"actor { stable x : {a : Nat; type T = Nat} };":                    "an object with a field that is a type",
		"actor { stable x : {#a; b : Nat} };":                              "expected the name of a case, such as #ok",
		"actor {} extra":                                                   "expected the end",
		"{ \"1.mo\" : Nat } actor {};":                                     "is not a function from one record to another",
		"actor { stable x : " + strings.Repeat("?", MaxDepth+1) + "Nat };": "nest more than 200 deep",
		"actor { stable x : " + strings.Repeat("[", MaxDepth+1) + "Nat };": "nest more than 200 deep",
		"/* no end":                     "a comment without its end",
		"{ \"1.mo":                      "a text without its end",
		strings.Repeat(" ", MaxBytes+1): "at most 4194304 are read",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want an error with %q", text, err, want)
		}
	}
}

func TestComparisonsHaveALimit(t *testing.T) {
	for name, text := range map[string]string{
		"a definition that is itself": "type T = T;\nactor { stable x : T };",
		"a type that grows":           "type T<A> = {a : ?T<(A, A)>};\nactor { stable x : T<Nat> };",
		"a type that grows slowly":    "type T<A> = {a : ?T<?A>};\nactor { stable x : T<Nat> };",
	} {
		a, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compare(a, b); err == nil || !strings.Contains(err.Error(), "stable variable x: its types take too much work") {
			t.Errorf("%s: %v", name, err)
		}
	}
	const pairs = 20_000
	var fields strings.Builder
	for i := range pairs {
		fmt.Fprintf(&fields, "stable x%d : Nat;", i+1)
	}
	if found := compared(t, "actor {"+fields.String()+"};", "actor {"+fields.String()+"};"); len(found) > 0 {
		t.Errorf("%v", found)
	}
	more, err := Parse("actor {" + fields.String() + "stable y : Nat};")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(more, more); err == nil {
		t.Errorf("%d pairs are compared", pairs+1)
	}
}

func TestTypesAreComparedUpToALength(t *testing.T) {
	for names, compares := range map[int]bool{6_553: true, 6_554: false} { // ten bytes for each, and three between the types
		s, err := Parse("actor { stable x : (" + strings.Repeat("Nat, ", names-1) + "Nat) };")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compare(s, s); (err == nil) != compares {
			t.Errorf("a tuple of %d types: %v", names, err)
		}
	}
}

func TestLongTypesAreShortened(t *testing.T) {
	for names, want := range map[int]string{
		24: "(" + strings.Repeat("Nat, ", 23) + "Nat) became Text",  // 120 bytes
		25: "(" + strings.Repeat("Nat, ", 23) + "Nat,… became Text", // 125
	} {
		found := compared(t, "actor { stable x : ("+strings.Repeat("Nat, ", names-1)+"Nat) };", "actor { stable x : Text };")
		if len(found) != 1 || found[0].Text != want {
			t.Errorf("a tuple of %d types: %q, want %q", names, found, want)
		}
	}
}

func TestVariablesAreThoseOfTheRunningProgram(t *testing.T) {
	s, err := Parse("actor ({ in var a : Nat }, { stable var c : Nat; stable b : Nat });")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Variables()); got != "[b c]" {
		t.Errorf("the variables are %s", got)
	}
}

func FuzzSignaturesAreReadAndComparedWithoutPanics(f *testing.F) {
	_, all := readPairs(f)
	for _, p := range all {
		f.Add(p.old, p.next)
	}
	f.Fuzz(func(t *testing.T, old, next string) {
		a, err := Parse(old)
		if err != nil {
			return
		}
		b, err := Parse(next)
		if err != nil {
			return
		}
		differences, err := Compare(a, b)
		if err == nil && a.before != nil && old == next && len(a.chain) == 0 && len(differences) > 0 {
			for _, v := range a.before {
				if v.required {
					return
				}
			}
			if fmt.Sprint(a.before) == fmt.Sprint(a.after) {
				t.Errorf("a signature does not fit itself: %v", differences)
			}
		}
	})
}
