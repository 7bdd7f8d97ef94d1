package candid

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValuesPrintAndReadBackAtTheirType(t *testing.T) {
	for text, want := range map[string]string{
		`true`:                          `true`,
		`null`:                          `null : null`,
		`-5`:                            `-5 : int`,
		`+1_000_000 : nat`:              `1_000_000 : nat`,
		`0xFF : nat8`:                   `255 : nat8`,
		`-128 : int8`:                   `-128 : int8`,
		`3`:                             `3 : int`,
		`3.`:                            `3.0 : float64`,
		`1.5e3 : float32`:               `1500.0 : float32`,
		`0x1.8p3`:                       `12.0 : float64`,
		`-0x1.8`:                        `-1.5 : float64`,
		`5 : float64`:                   `5.0 : float64`,
		`-inf : float32`:                `-inf : float32`,
		`"a\n\t\"\\\u{2603}\e2\98\83'"`: `"a\n\t\"\\☃☃'"`,
		`blob "a\00\ff\n"`:              `blob "a\00\ff\0a"`,
		`opt 5`:                         `opt (5 : int)`,
		`"\u{200b}\u{202e}\u{2066}\u{ad}\u{2028}\u{e9}"`: `"\u{200b}\u{202e}\u{2066}\u{ad}\u{2028}é"`,
		`opt opt "x"`:                           `opt opt "x"`,
		`vec { 1; 2; }`:                         `vec { 1 : int; 2 : int }`,
		`vec {}`:                                `vec {}`,
		`vec { 1 : nat8; 2 : nat8 }`:            `blob "\01\02"`,
		`(vec { 1; 2 } : blob)`:                 `blob "\01\02"`,
		`record { a = 1; "b c" = 2; 7 = 3; 4 }`: `record { 7 = 3 : int; 8 = 4 : int; a = 1 : int; "b c" = 2 : int }`,
		`record { "x"; true }`:                  `record { "x"; true }`,
		`record { "opt" = "x" }`:                `record { "opt" = "x" }`,
		`variant { a }`:                         `variant { a }`,
		`variant { 5 = "x" }`:                   `variant { 5 = "x" }`,
		`principal "aaaaa-aa"`:                  `principal "aaaaa-aa"`,
		`service "w7x7r-cok77-xa"`:              `service "w7x7r-cok77-xa"`,
		`func "aaaaa-aa"."a b"`:                 `func "aaaaa-aa"."a b"`,
		`func "aaaaa-aa".raw_rand`:              `func "aaaaa-aa".raw_rand`,
		`/* a /* b */ c */ 1 // d`:              `1 : int`,
		`((((1 : nat))))`:                       `1 : nat`,
		`record { x = 1 : nat16 }`:              `record { x = 1 : nat16 }`,
		`record { x = 5 } : record { x : nat; y : opt text }`: `record { x = 5 : nat; y = null }`,
	} {
		v, err := ParseValue(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := Format(v); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		checkReadsBack(t, v)
	}
}

// checkReadsBack checks that a value printed and read at its type is the same.
func checkReadsBack(t *testing.T, v Value) {
	t.Helper()
	typ, err := TypeOf(v)
	if err != nil {
		t.Errorf("%s: %v", Format(v), err)
		return
	}
	want, err := Conform(v, typ)
	if err != nil {
		t.Errorf("%s at its own type %s: %v", Format(v), typ, err)
		return
	}
	for _, text := range []string{FormatArgs([]Value{v}), PrettyArgs([]Value{v})} {
		again, err := ParseArgsAt(text, []*Type{typ})
		if err != nil || !Equal(again[0], want) {
			t.Errorf("%s read back at %s: %v, %v", text, typ, again, err)
		}
	}
}

func TestTextsThatAreNoValuesAreRefused(t *testing.T) {
	for text, reason := range map[string]string{
		``:                                      "a value is expected, not the end",
		`1 2`:                                   "the end is expected",
		`256 : nat8`:                            "256 does not fit nat8",
		`-1 : nat`:                              "-1 does not fit nat",
		`128 : int8`:                            "128 does not fit int8",
		`1.5 : nat`:                             "1.5 is not a value of type nat",
		`1e999`:                                 "does not fit float64",
		`"x" : nat`:                             `"x" is not a value of type nat`,
		`true : A`:                              "type A is not defined",
		`"\ff"`:                                 "valid UTF-8",
		`"\q"`:                                  "escape sequence",
		`"\u{d800}"`:                            "Unicode scalar value",
		`"\u{2603"`:                             "not closed",
		`"open`:                                 "not closed",
		`variant {}`:                            "a name is expected",
		`variant { a = 1; b = 2 }`:              "“}” is expected",
		`record { a = 1; 97 = 2 }`:              "have the same id 97",
		`record { opt = 1 }`:                    "keyword",
		`record { vec = 1 }`:                    "keyword",
		`principal "x"`:                         "not a principal",
		`principal x`:                           "a principal in quotes",
		`func "aaaaa-aa"`:                       "“.” is expected",
		`hello`:                                 "a value is expected",
		`0x`:                                    "hexadecimal",
		`1e`:                                    "exponent",
		`12ab`:                                  "runs into",
		`vec { 1; "x" } : vec nat`:              "vec element 1",
		`record { a = 1 } : record { b : nat }`: "field b: a value of type nat is missing",
		`opt 5 : opt text`:                      "5 is not a value of type text",
		strings.Repeat("9", 200_000):            "digits",
		strings.Repeat("opt ", 20_000) + "1":    "deeper",
	} {
		if v, err := ParseValue(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.80s: got %v, %v, want %s", text, v, err, reason)
		}
	}
}

func TestLongArgumentsPrintOverSeveralLines(t *testing.T) {
	v, err := ParseArgs(`(record { name = "` + strings.Repeat("n", 60) + `"; id = vec { 1; 2 }; state = opt variant { on } }, 5)`)
	if err != nil {
		t.Fatal(err)
	}
	want := "(\n  record {\n    id = vec { 1 : int; 2 : int };\n    name = \"" + strings.Repeat("n", 60) +
		"\";\n    state = opt variant { on };\n  },\n  5 : int,\n)"
	if got := PrettyArgs(v); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := PrettyArgs(nil); got != "()" {
		t.Errorf("got %s", got)
	}
}

// The text of a null says nothing of its type: breaking a text must not read it.
func TestBreakingATextChangesOnlySpaces(t *testing.T) {
	long := strings.Repeat("n", 70)
	for text, want := range map[string]string{
		`(null)`:                       `(null)`,
		`(variant { B = null })`:       `(variant { B = null })`,
		`(null, "` + long + `", null)`: "(\n  null,\n  \"" + long + "\",\n  null,\n)",
		`(opt (variant { B = null }), "` + long + `{;,\\\"(")`: "(\n  opt (variant { B = null }),\n  \"" + long + `{;,\\\"(` + "\",\n)",
		`(record { "` + long + `"; vec {}; func "aaaaa-aa"."x;y" }, opt (vec { "` + long + `" }))`: "(\n  record {\n    \"" + long +
			"\";\n    vec {};\n    func \"aaaaa-aa\".\"x;y\";\n  },\n  opt (vec {\n    \"" + long + "\";\n  }),\n)",
		`(record { "` + long + `"; "cut off`:    `(record { "` + long + `"; "cut off`,
		`(record { "` + long + `" ) } trailing`: `(record { "` + long + `" ) } trailing`,
	} {
		if got := Pretty(text); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestBreakingATextReadsEachCharacterAFewTimesHoweverDeepItIs(t *testing.T) {
	for _, depth := range []int{10, 100, MaxDepth - 2} {
		text := "(" + strings.Repeat("record { ", depth) + `"` + strings.Repeat("n", 100) + `"` + strings.Repeat(" }", depth) + ")"
		b := newBreaker(text)
		if !b.list('(', ')', ',') {
			t.Fatalf("at a depth of %d, it does not end", depth)
		}
		if b.read > 4*len(text) {
			t.Errorf("at a depth of %d, it reads %d characters of %d", depth, b.read, len(text))
		}
	}
}

func TestFloatsSurviveTheirText(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 1e21, 1e-7, math.Inf(1), math.NaN()} {
		v, err := ParseValue(Format(Float64(f)))
		got, ok := v.(Float64)
		if err != nil || !ok || !Equal(got, Float64(f)) && !math.IsNaN(f) {
			t.Errorf("%v: got %v, %v", f, v, err)
		}
		small := Float32(float32(f))
		if again, err := ParseValue(Format(small)); err != nil || !Equal(again, small) && !math.IsNaN(f) {
			t.Errorf("%v: got %v, %v", small, again, err)
		}
	}
}

func TestAVecHasATypeAllItsElementsFit(t *testing.T) {
	for text, want := range map[string]string{
		`vec { null; opt 5 }`:                                         `vec opt int`,
		`vec { variant { a }; variant { b = 1 } }`:                    `vec variant { a; b : int }`,
		`vec { record { x = 1 : nat }; record { x = -1 } }`:           `vec record { x : int }`,
		`vec { vec {}; vec { "x" } }`:                                 `vec vec text`,
		`record { a = opt (null : opt nat8); b = func "aaaaa-aa".x }`: `record { a : opt opt empty; b : func () -> () }`,
	} {
		v, err := ParseValue(text)
		if err != nil {
			t.Fatal(err)
		}
		typ, err := TypeOf(v)
		if err != nil || typ.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, typ, err, want)
		}
		checkReadsBack(t, v)
	}
	for _, text := range []string{`vec { 1; "x" }`, `vec { record { a = 1 }; record { b = 1 } }`} {
		v, err := ParseValue(text)
		if err != nil {
			t.Fatal(err)
		}
		if typ, err := TypeOf(v); err == nil {
			t.Errorf("%s has the type %s", text, typ)
		}
	}
}

// A message with half a character is refused by protocol buffers.
func TestAnErrorAboutALongTextIsValidUTF8(t *testing.T) {
	for n := range 4 {
		_, err := ParseValue(`"` + strings.Repeat("a", 60+n) + strings.Repeat("é", 10) + `" : nat`)
		if err == nil || !utf8.ValidString(err.Error()) {
			t.Errorf("after %d letters: %q", 60+n, err)
		}
	}
}
