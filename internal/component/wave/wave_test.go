package wave

import (
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/canisterd/canisterd/component"
)

// functions are the functions of component/testdata/valid/kinds.wat, each with a parameter of the kind of its name.
func functions(t testing.TB) map[string]*component.FuncType {
	t.Helper()
	binary, err := os.ReadFile("../../../component/testdata/valid/kinds.wasm")
	if err != nil {
		t.Fatal(err)
	}
	imports, _, err := component.Describe(binary)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*component.FuncType{}
	for _, e := range imports {
		all[e.Name] = e.Func
	}
	return all
}

func variant(n uint32, payload any) component.Variant {
	return component.Variant{Case: n, Payload: payload}
}

// values are texts of values. A value is written as the first of its texts.
var values = []struct {
	kind  string
	value any
	texts []string
}{
	{"bool", true, []string{"true"}},
	{"bool", false, []string{"false", " false // no"}},
	{"s8", int8(-128), []string{"-128"}},
	{"u8", uint8(255), []string{"255"}},
	{"s16", int16(-32768), []string{"-32768"}},
	{"u16", uint16(65535), []string{"65535"}},
	{"s32", int32(-1), []string{"-1"}},
	{"u32", uint32(math.MaxUint32), []string{"4294967295"}},
	{"s64", int64(math.MinInt64), []string{"-9223372036854775808"}},
	{"u64", uint64(math.MaxUint64), []string{"18446744073709551615"}},
	{"f32", float32(0.1), []string{"0.1", "1e-1"}},
	{"f64", 1e21, []string{"1000000000000000000000", "1e21", "1E+21"}},
	{"f64", math.Inf(-1), []string{"-inf"}},
	{"f64", math.Inf(1), []string{"inf"}},
	{"char", component.Char('☃'), []string{"'☃'", `'\u{2603}'`}},
	{"char", component.Char('\''), []string{`'\''`}},
	{"string", "", []string{`""`, "\"\"\"\n\"\"\""}},
	{"string", "say \"hi\"\n\tor\\not\u0301\u0000", []string{`"say \"hi\"\n\tor\\not\u{301}\u{0}"`}},
	{"string", "indented\n  by its end", []string{`"indented\n  by its end"`, "\"\"\"\n  indented\n    by its end\n  \"\"\"", "\"\"\"\r\nindented\r\n  by its end\r\n\"\"\""}},
	{"bytes", []byte{1, 2}, []string{"[1, 2]", "[1,2,]"}},
	{"list", []any{"a", "b"}, []string{`["a", "b"]`, `[ "a" , "b" , ]`}},
	{"list", []any{}, []string{"[]"}},
	{"pair-list", []any{[]any{"a", uint32(1)}}, []string{`[("a", 1)]`}},
	{"fixed-list", []any{uint16(1), uint16(2)}, []string{"[1, 2]"}},
	{"map", []any{[]any{"a", uint32(1)}}, []string{`[("a", 1)]`}},
	{"tuple", []any{uint8(1), component.Char('x')}, []string{"(1, 'x')"}},
	{"point", []any{int32(1), variant(0, nil)}, []string{"{x: 1}", "{label: none, x: 1,}", "{%x: 1}"}},
	{"point", []any{int32(1), variant(1, "here")}, []string{`{x: 1, label: some("here")}`, `{x: 1, label: "here"}`}},
	{"empty", []any{variant(0, nil)}, []string{"{:}", "{note: none}", "{ : }"}},
	{"color", component.Enum(0), []string{"red"}},
	{"color", component.Enum(1), []string{"%ok", "ok"}},
	{"style", component.Flags(0), []string{"{}"}},
	{"style", component.Flags(3), []string{"{filled, dashed}", "{dashed, filled,}"}},
	{"shape", variant(0, []any{int32(2), variant(0, nil)}), []string{"dot({x: 2})"}},
	{"shape", variant(1, nil), []string{"%none", "none"}},
	{"option", variant(1, "x"), []string{`some("x")`, `"x"`}},
	{"option", variant(0, nil), []string{"none"}},
	{"option-option", variant(1, variant(0, nil)), []string{"some(none)"}},
	{"option-option", variant(1, variant(1, uint8(3))), []string{"some(some(3))", "some(3)"}},
	{"result", variant(0, uint32(3)), []string{"ok(3)", "3"}},
	{"result", variant(1, "no"), []string{`err("no")`}},
	{"result-only", variant(1, nil), []string{"err"}},
}

func TestValuesAreReadAndWritten(t *testing.T) {
	all := functions(t)
	for _, test := range values {
		typ := all[test.kind].Params[0].Type
		for _, text := range test.texts {
			if got, err := Read(text, typ); err != nil || !reflect.DeepEqual(got, test.value) {
				t.Errorf("%s as %s: %#v, %v, want %#v", text, test.kind, got, err, test.value)
			}
		}
		if got := Write(test.value, typ); got != test.texts[0] {
			t.Errorf("%#v is written as %s, want %s", test.value, got, test.texts[0])
		}
	}
	if got, err := Read("nan", all["f32"].Params[0].Type); err != nil || Write(got, all["f32"].Params[0].Type) != "nan" {
		t.Errorf("nan: %v, %v", got, err)
	}
	if got := Write((*component.Resource)(nil), all["own"].Params[0].Type); got != "<own>" {
		t.Errorf("a resource is written as %s", got)
	}
}

func TestFaultsOfTextsNameThePlaceAndWhatIsExpected(t *testing.T) {
	all := functions(t)
	for _, test := range []struct{ kind, text, want string }{
		{"bool", "maybe", "at character 1: expected true or false, found maybe"},
		{"u8", "256", "at character 1: expected a number of type u8, found 256"},
		{"u8", "+5", "at character 1: expected a number of type u8, found +5"},
		{"u8", "", "at character 1: expected a number of type u8, found the end"},
		{"f64", "0x1p4", "at character 1: expected a floating-point number, found 0x1p4"},
		{"char", "'ab'", "at character 2: expected one character between quotes"},
		{"char", "''", "at character 2: expected one character between quotes"},
		{"string", "Ada", "at character 1: expected a string in double quotes, found Ada"},
		{"char", "x", "at character 1: expected a character in single quotes, found x"},
		{"string", `"Ada`, "at character 1: the string does not end on its line"},
		{"string", `"é\q"`, `at character 3: expected an escape: \' \" \\ \t \n \r or \u{…} with the number of a character`},
		{"string", `"\u{d800}"`, `at character 2: expected an escape: \' \" \\ \t \n \r or \u{…} with the number of a character`},
		{"string", "\"\"\"\na", "at character 1: the string has no end"},
		{"string", "\"\"\"a\"\"\"", "at character 1: a string of several lines begins and ends with a line of quotes alone"},
		{"string", "\"\"\"\na\n  \"\"\"", "at character 1: line 1 of the string is indented less than its end"},
		{"list", `["a" "b"]`, "at character 6: expected ']' in a list, found '\"'"},
		{"fixed-list", "[1]", "at character 1: expected 2 elements, found 1"},
		{"tuple", "(1)", "at character 3: a tuple has 1 elements, expected 2"},
		{"tuple", "(1, 'x', 2)", "at character 10: a tuple has more than 2 elements"},
		{"point", "{y: 1}", "at character 2: expected a field of the record (x, label), found y"},
		{"point", "{x: 1, x: 2}", "at character 8: the field x is there twice"},
		{"point", "{:}", "at character 1: the record misses the field x"},
		{"color", "blue", "at character 1: expected a case of the enum (red, ok), found blue"},
		{"style", "{dotted}", "at character 2: expected a flag (filled, dashed), found dotted"},
		{"shape", "text", "at character 5: expected '(' in a case with a payload, found the end"},
		{"option-option", "3", "at character 1: expected none or some, found 3"},
		{"result-only", "5", "at character 1: expected ok or err, found 5"},
		{"own", "1", "at character 1: a value of type own cannot be written as text"},
		{"bool", "true false", "at character 6: expected the end, found false"},
	} {
		_, err := Read(test.text, all[test.kind].Params[0].Type)
		if fault := new(Fault); !errors.As(err, &fault) || err.Error() != test.want {
			t.Errorf("%s as %s: %v, want %s", test.text, test.kind, err, test.want)
		}
	}
}

func TestCallsHaveTheArgumentsOfTheirFunctions(t *testing.T) {
	params := functions(t)["three"].Params
	none := variant(0, nil)
	for text, want := range map[string][]any{
		"f(1)":          {uint32(1), none, none},
		"a:b/c#f(1, 2)": {uint32(1), variant(1, uint32(2)), none},
		" f ( 1 ,2,3,)": {uint32(1), variant(1, uint32(2)), variant(1, uint32(3))},
	} {
		if got, err := ReadCall(text).Arguments(params); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	if c := ReadCall("a:b/c#f"); c.Function != "a:b/c#f" {
		t.Errorf("the function is %s", c.Function)
	}
	if args, err := ReadCall("f").Arguments(nil); err != nil || len(args) != 0 {
		t.Errorf("no arguments: %v, %v", args, err)
	}
	for text, want := range map[string]string{
		"f()":           "at character 3: missing argument first: f has the parameters first, second, third",
		"f(1, 2, 3, 4)": "at character 12: f has the parameters first, second, third",
		"f(1) 2":        "at character 6: expected the end, found 2",
		"f(1":           "at character 4: expected ')' in the arguments, found the end",
	} {
		if _, err := ReadCall(text).Arguments(params); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadCall("f(1)").Arguments(nil); err == nil || err.Error() != "at character 3: f has no parameters" {
		t.Errorf("one argument too many: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	all := functions(f)
	kinds := []string{"string", "point", "shape", "pair-list", "option-option", "f64", "char"}
	for _, test := range values {
		for n, kind := range kinds {
			if kind == test.kind {
				f.Add(n, test.texts[0])
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		typ := all[kinds[uint(kind)%uint(len(kinds))]].Params[0].Type
		v, err := Read(text, typ)
		if err != nil {
			return
		}
		written := Write(v, typ)
		again, err := Read(written, typ)
		if err != nil || Write(again, typ) != written {
			t.Errorf("%s is read as %s, which is read as %v (%v)", text, written, again, err)
		}
	})
}
