package did

import (
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
)

// jsonTypes are the types that the cases of this file name.
const jsonTypes = `
type Account = record { owner : principal; subaccount : opt blob };
type State = variant { stopped; running : nat; "two words" : record { nat; text } };
type List = opt record { head : int; tail : List };
type Odd = record { "_7_" : nat; 7 : nat; "" : nat; "a b" : nat };
type Method = func (nat) -> (nat) query;
type Actor = service { go : Method };
`

func jsonType(t testing.TB, text string) *candid.Type {
	t.Helper()
	file, err := Parse(jsonTypes + "type Wanted = " + text + ";")
	if err != nil {
		t.Fatal(err)
	}
	typ, _ := file.Type("Wanted")
	return typ
}

func TestAValueHasOneJSONForm(t *testing.T) {
	for _, c := range []struct{ typ, value, json string }{
		{"null", `null`, `null`},
		{"reserved", `null : reserved`, `null`},
		{"bool", `true`, `true`},
		{"nat", `9_007_199_254_740_991`, `9007199254740991`},
		{"nat", `9_007_199_254_740_992`, `"9007199254740992"`},
		{"nat", `340_282_366_920_938_463_463_374_607_431_768_211_456`, `"340282366920938463463374607431768211456"`},
		{"int", `-9_007_199_254_740_991`, `-9007199254740991`},
		{"int", `-9_007_199_254_740_992`, `"-9007199254740992"`},
		{"int", `-18_446_744_073_709_551_617`, `"-18446744073709551617"`},
		{"nat64", `18_446_744_073_709_551_615`, `"18446744073709551615"`},
		{"int64", `-9_223_372_036_854_775_808`, `"-9223372036854775808"`},
		{"nat8", `255`, `255`},
		{"int8", `-128`, `-128`},
		{"nat16", `65_535`, `65535`},
		{"int16", `-1`, `-1`},
		{"nat32", `4_294_967_295`, `4294967295`},
		{"int32", `-7`, `-7`},
		{"float64", `0.1`, `0.1`},
		{"float64", `-0.0`, `-0`},
		{"float64", `3.0`, `3`},
		{"float64", `1e300`, `1e+300`},
		{"float32", `0.1`, `0.1`},
		{"float64", `nan`, `"NaN"`},
		{"float32", `inf`, `"Infinity"`},
		{"float64", `-inf`, `"-Infinity"`},
		{"text", `"a\"\\\n\t\r\01é💡"`, `"a\"\\\n\t\r\u0001é💡"`},
		{"blob", `blob "\00\ffA"`, `"00ff41"`},
		{"blob", `blob ""`, `""`},
		{"vec nat", `vec { 1; 2 }`, `[1,2]`},
		{"vec vec nat8", `vec { blob "\01"; blob "" }`, `["01",""]`},
		{"opt nat", `null`, `null`},
		{"opt nat", `opt 5`, `5`},
		{"opt vec nat", `opt vec {}`, `[]`},
		{"opt opt nat", `null`, `[]`},
		{"opt opt nat", `opt null`, `[null]`},
		{"opt opt nat", `opt opt 5`, `[5]`},
		{"opt opt opt nat", `opt opt null`, `[[null]]`},
		{"opt opt opt nat", `opt null`, `[[]]`},
		{"opt null", `opt null`, `[null]`},
		{"opt reserved", `null`, `[]`},
		{"opt State", `opt variant { stopped }`, `{"stopped":null}`},
		{"Account", `record { owner = principal "aaaaa-aa"; subaccount = null }`, `{"owner":"aaaaa-aa","subaccount":null}`},
		{"Account", `record { owner = principal "aaaaa-aa"; subaccount = opt blob "\0a" }`, `{"owner":"aaaaa-aa","subaccount":"0a"}`},
		{"record {}", `record {}`, `{}`},
		{"record { nat; text }", `record { 1; "x" }`, `[1,"x"]`},
		{"record { nat }", `record { 1 }`, `[1]`},
		{"record { 1 : nat; 2 : nat }", `record { 1 = 5; 2 = 6 }`, `{"_1_":5,"_2_":6}`},
		{"Odd", `record { "_7_" = 1; 7 = 2; "" = 3; "a b" = 4 }`, `{"_0_":3,"_7_":2,"_4736615_":1,"a b":4}`},
		{"State", `variant { stopped }`, `{"stopped":null}`},
		{"State", `variant { running = 3 }`, `{"running":3}`},
		{"State", `variant { "two words" = record { 1; "x" } }`, `{"two words":[1,"x"]}`},
		{"List", `opt record { head = 1; tail = opt record { head = 2; tail = null } }`, `{"head":1,"tail":{"head":2,"tail":null}}`},
		{"principal", `principal "rrkah-fqaaa-aaaaa-aaaaq-cai"`, `"rrkah-fqaaa-aaaaa-aaaaq-cai"`},
		{"Actor", `service "rrkah-fqaaa-aaaaa-aaaaq-cai"`, `"rrkah-fqaaa-aaaaa-aaaaq-cai"`},
		{"Method", `func "aaaaa-aa"."a \"b\""`, `{"canister":"aaaaa-aa","method":"a \"b\""}`},
	} {
		types := []*candid.Type{jsonType(t, c.typ)}
		v, err := candid.ParseValueAt(c.value, types[0])
		if err != nil {
			t.Errorf("%s : %s: %v", c.value, c.typ, err)
			continue
		}
		got, err := FormatJSON([]candid.Value{v}, types)
		if want := "[" + c.json + "]"; err != nil || string(got) != want {
			t.Errorf("%s : %s is %s (%v), want %s", c.value, c.typ, got, err, want)
		}
		again, err := ParseJSON(got, types)
		if err != nil || !sameValue(again[0], v) {
			t.Errorf("%s at %s is read as %v (%v), want %s", got, c.typ, again, err, c.value)
		}
	}
}

func TestOtherJSONFormsOfAValueAreRead(t *testing.T) {
	for _, c := range []struct{ typ, json, value string }{
		{"nat", ` "7" `, `7`},
		{"nat", `-0`, `0`},
		{"nat", `123456789012345678901234567890`, `123456789012345678901234567890`},
		{"nat64", `18446744073709551615`, `18_446_744_073_709_551_615`},
		{"nat8", `"255"`, `255`},
		{"nat8", `-0`, `0`},
		{"float64", `1E+2`, `100.0`},
		{"float32", `7`, `7.0`},
		{"text", `"\u00e9\ud83d\udca1\/\b\f"`, `"\u{e9}\u{1f4a1}/\u{8}\u{c}"`},
		{"blob", `"00FF"`, `blob "\00\ff"`},
		{"blob", `[0, 255, "7"]`, `blob "\00\ff\07"`},
		{"blob", `[]`, `blob ""`},
		{"blob", `{"base64": "AP+/"}`, `blob "\00\ff\bf"`},
		{"blob", `{"base64": "AA=="}`, `blob "\00"`},
		{"blob", `{"base64": "AA"}`, `blob "\00"`},
		{"State", `"stopped"`, `variant { stopped }`},
		{"Account", ` { "owner" : "aaaaa-aa" } `, `record { owner = principal "aaaaa-aa"; subaccount = null }`},
		{"record { nat; text }", `{"_1_": "x", "_0_": 1}`, `record { 1; "x" }`},
		{"record { nat; opt text }", `[1]`, `record { 1; null }`},
		{"record { 1224700491 : nat }", `{"name": 5}`, `record { name = 5 }`},
		{"record { name : nat }", `{"_1224700491_": 5}`, `record { name = 5 }`},
		{"reserved", `{"any": [1, true, false, null, -1.5e3, "x", {"x": "x"}]}`, `null : reserved`},
	} {
		typ := jsonType(t, c.typ)
		got, err := ParseJSON([]byte("["+c.json+"]"), []*candid.Type{typ})
		want, wantErr := candid.ParseValueAt(c.value, typ)
		if wantErr != nil {
			t.Fatal(wantErr)
		}
		if err != nil || !candid.Equal(got[0], want) {
			t.Errorf("%s at %s is read as %v (%v), want %s", c.json, c.typ, got, err, c.value)
		}
	}
}

func TestAnErrorInJSONNamesThePlaceTheValueAndTheType(t *testing.T) {
	for _, c := range []struct{ typ, json, want string }{
		{"Account", `[{"owner":"aaaaa-aa","subaccount":[1,2,3,300]}]`, `$[0].subaccount[3]: 300 does not fit nat8`},
		{"Account", `[{"owner":5}]`, `$[0].owner: 5 is not a value of type principal`},
		{"Account", `[{"owner":"aaaaa-ab"}]`, `$[0].owner: "aaaaa-ab" is not a value of type principal: `},
		{"Account", `[{}]`, `$[0].owner: a value of type principal is missing`},
		{"Account", `[{"ownr":"aaaaa-aa"}]`, `$[0].ownr: Wanted has no such field`},
		{"Account", `[{"owner":"aaaaa-aa","owner":"aaaaa-aa"}]`, `$[0].owner: the field is given twice`},
		{"Account", `[[]]`, `$[0]: [] is not a value of type Wanted`},
		{"record { \"a b\" : vec nat }", `[{"a b":[0,-1]}]`, `$[0]["a b"][1]: -1 does not fit nat`},
		{"nat", `[1e3]`, `$[0]: 1e3 is not a value of type Wanted: an integer is written in decimal digits alone`},
		{"nat", `["1_000"]`, `$[0]: "1_000" is not a value of type Wanted: an integer`},
		{"nat", `[""]`, `$[0]: "" is not a value of type Wanted`},
		{"nat", `[null]`, `$[0]: null is not a value of type Wanted`},
		{"int8", `[-129]`, `$[0]: -129 does not fit Wanted`},
		{"nat", `5`, `$: 5 is not an array of the 1 arguments: one argument is an array of one`},
		{"nat", ``, `$: at byte 0: an array of arguments is expected, the text ends`},
		{"nat", `[1,2]`, `$[1]: at byte 3: at most 1 arguments are expected`},
		{"nat", `[]`, `$[0]: a value of type Wanted is missing`},
		{"nat", `[1`, `$: at byte 2: the text ends within a value`},
		{"nat", `[1] x`, `$: at byte 4: the end is expected, not 'x'`},
		{"nat", `[01]`, `$: at byte 2: invalid character '1' after array element (expecting ',' or ']')`},
		{"float32", `[1e39]`, `$[0]: 1e39 does not fit Wanted`},
		{"float64", `["nan"]`, `$[0]: "nan" is not a value of type Wanted: a number, "NaN", "Infinity" or "-Infinity"`},
		{"float64", `[1.]`, `$[0]: at byte 3: invalid character ']' in number (expecting digit)`},
		{"text", `["\ud800"]`, "$[0]: at byte 2: invalid surrogate pair `\\ud800\"]` in string"},
		{"text", "[\"\xff\"]", `$[0]: at byte 2: invalid UTF-8`},
		{"text", "[\"\n\"]", `$[0]: at byte 2: invalid character '\n' in string (expecting non-control character)`},
		{"text", `["\x"]`, "$[0]: at byte 2: invalid escape sequence `\\x` in string"},
		{"blob", `["0"]`, `$[0]: "0" is not a value of type Wanted in hexadecimal digits`},
		{"blob", `[{"base64":"*"}]`, `$[0].base64: "*" is not base64`},
		{"blob", `[{"hex":""}]`, `$[0]: at byte 8: the key "hex" is given twice or not part of a value of type Wanted`},
		{"blob", `[{}]`, `$[0]: the key "base64" of a value of type Wanted is missing`},
		{"opt opt nat", `[null]`, `$[0]: null is not a value of type Wanted: [] or [value], because the value could be null itself`},
		{"opt opt nat", `[[1,2]]`, `$[0][1]: at byte 4: an option holds at most one value`},
		{"State", `["running"]`, `$[0].running: a value of type nat is missing: write "running" as the key of an object`},
		{"State", `["walking"]`, `$[0]: Wanted has no case "walking"`},
		{"State", `[{}]`, `$[0]: {} is not a value of type Wanted: the case is missing`},
		{"State", `[{"running":1,"stopped":null}]`, `$[0]: at byte 24: a variant is an object of one key`},
		{"State", `[{"two words":[1,2]}]`, `$[0]["two words"][1]: 2 is not a value of type text`},
		{"Method", `[{"canister":"aaaaa-aa"}]`, `$[0]: the key "method" of a value of type Wanted is missing`},
		{"Method", `[{"canister":"x","method":"y"}]`, `$[0].canister: "x" is not a principal: `},
		{"record { nat; nat }", `[[1,2,3]]`, `$[0][2]: at byte 6: the tuple has 2 elements`},
		{"empty", `[1]`, `$[0]: 1 is not a value of type Wanted`},
		{"reserved", `[{"a":[tru]}]`, `$[0].a[0]: at byte 10: invalid character ']' in literal true (expecting 'e')`},
	} {
		_, err := ParseJSON([]byte(c.json), []*candid.Type{jsonType(t, c.typ)})
		var public *JSONError
		if !errors.As(err, &public) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s at %s: %v, want %s", c.json, c.typ, err, c.want)
		}
	}
}

func TestAValueNotOfItsTypeHasNoJSONForm(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value candid.Value
		want  string
	}{
		{"text", candid.Nat8(1), `$[0]: 1 : nat8 is not a value of type Wanted`},
		{"text", candid.Text("\xff"), `$[0]: a text is valid UTF-8, this one is not`},
		{"nat", nil, `$[0]: a value of type Wanted is missing`},
		{"empty", candid.Bool(true), `$[0]: true is not a value of type Wanted`},
		{"vec nat", candid.Blob{1}, `$[0]: blob "\01" is not a value of type Wanted`},
		{"vec nat", candid.Vec{candid.Text("")}, `$[0][0]: "" is not a value of type nat`},
		{"opt nat", candid.NatOf(1), `$[0]: 1 : nat is not a value of type Wanted`},
		{"Account", candid.Record{}, `$[0]: record {} is not a value of type Wanted`},
		{"State", candid.Variant{Label: candid.Named("no"), Value: candid.Null{}}, `$[0]: variant { no } is not a value of type Wanted`},
		{"State", candid.Variant{Label: candid.Named("running"), Value: candid.Null{}}, `$[0].running: null : null is not a value of type nat`},
	} {
		_, err := FormatJSON([]candid.Value{c.value}, []*candid.Type{jsonType(t, c.typ)})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v at %s: %v, want %s", c.value, c.typ, err, c.want)
		}
	}
	if _, err := FormatJSON(nil, []*candid.Type{candid.KindNat.Type()}); err == nil {
		t.Error("no values at one type have a JSON form")
	}
}

func TestJSONIsBounded(t *testing.T) {
	wide := strings.Builder{}
	for i := range 1000 {
		wide.WriteString("; f" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + " : opt nat")
	}
	for name, c := range map[string]struct{ typ, json string }{
		"length":  {"text", `["` + strings.Repeat("x", MaxJSONBytes) + `"]`},
		"depth":   {"List", `[` + strings.Repeat(`{"head":1,"tail":`, candid.MaxDepth) + "null" + strings.Repeat("}", candid.MaxDepth) + `]`},
		"skipped": {"reserved", `[` + strings.Repeat("[", candid.MaxDepth+1) + strings.Repeat("]", candid.MaxDepth+1) + `]`},
		"digits":  {"nat", `[` + strings.Repeat("1", candid.MaxNumberDigits+1) + `]`},
		"fields":  {"vec record { " + wide.String()[2:] + " }", `[[` + strings.Repeat("{},", 1000) + `{}]]`},
	} {
		_, err := ParseJSON([]byte(c.json), []*candid.Type{jsonType(t, c.typ)})
		var public *JSONError
		if !errors.As(err, &public) || !public.Limit {
			t.Errorf("%s: %v is not a limit", name, err)
		}
	}
	long := candid.Vec{}
	record := candid.Record{{Label: candid.Named(strings.Repeat("n", 1<<20)), Value: candid.Null{}}}
	typ, err := candid.RecordOf(candid.Field{Label: record[0].Label, Type: candid.KindNull.Type()})
	if err != nil {
		t.Fatal(err)
	}
	for range MaxJSONOutput >> 20 {
		long = append(long, record)
	}
	_, err = FormatJSON([]candid.Value{long}, []*candid.Type{candid.VecOf(typ)})
	var public *JSONError
	if !errors.As(err, &public) || !public.Limit {
		t.Errorf("a long output: %v is not a limit", err)
	}
}

// A reader that looks at what it has read again at each escape sequence would take minutes.
func TestTheLongestTextMayConsistOfEscapes(t *testing.T) {
	const escape = `\ud83d\udca1`
	times := (MaxJSONBytes - len(`[""]`)) / len(escape)
	values, err := ParseJSON([]byte(`["`+strings.Repeat(escape, times)+`"]`), []*candid.Type{candid.KindText.Type()})
	if err != nil || values[0] != candid.Text(strings.Repeat("💡", times)) {
		t.Errorf("%d escapes are not read as characters: %v", times, err)
	}
}

func TestKeysInErrorsAreCut(t *testing.T) {
	for _, value := range []string{`1`, `x`} {
		text := `[{"` + strings.Repeat("k", MaxJSONBytes/2) + `":` + value + `}]`
		if _, err := ParseJSON([]byte(text), []*candid.Type{jsonType(t, "Account")}); err == nil || len(err.Error()) > 1000 {
			t.Errorf("the error of a long key before %s is missing or has more than 1000 bytes", value)
		}
	}
}

func TestAMethodTakesAndAnswersJSON(t *testing.T) {
	file, err := Parse(jsonTypes + `service : (nat, opt text) -> { balance : (Account) -> (nat, opt text) query; none : () -> () }`)
	if err != nil {
		t.Fatal(err)
	}
	balance, _ := file.Method("balance")
	message, err := balance.ArgsFromJSON([]byte(`[{"owner":"aaaaa-aa"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := balance.ArgsToJSON(message); err != nil || string(got) != `[{"owner":"aaaaa-aa","subaccount":null}]` {
		t.Errorf("arguments: %s, %v", got, err)
	}
	if got, err := MessageJSON(message); err != nil || string(got) != `[{"_947296307_":"aaaaa-aa","_1349681965_":null}]` {
		t.Errorf("without the interface: %s, %v", got, err)
	}
	if message, err = balance.ResultsFromJSON([]byte(`["12345678901234567890"]`)); err != nil {
		t.Fatal(err)
	}
	if got, err := balance.ResultsToJSON(message); err != nil || string(got) != `["12345678901234567890",null]` {
		t.Errorf("results: %s, %v", got, err)
	}
	none, _ := file.Method("none")
	if message, err = none.ArgsFromJSON([]byte(`[]`)); err != nil || string(message) != "DIDL\x00\x00" {
		t.Errorf("no arguments: %q, %v", message, err)
	}
	if got, err := none.ResultsToJSON(message); err != nil || string(got) != `[]` {
		t.Errorf("no results: %s, %v", got, err)
	}
	if message, err = file.InitFromJSON([]byte(`[7]`)); err != nil || string(message) != "DIDL\x01\x6e\x71\x02\x7d\x00\x07\x00" {
		t.Errorf("init: %q, %v", message, err)
	}
	if _, err := balance.ResultsToJSON([]byte("DIDL\x00\x00")); err == nil {
		t.Error("a message without the nat is read")
	}
	if _, err := MessageJSON([]byte("x")); err == nil {
		t.Error("a malformed message is read")
	}
}
