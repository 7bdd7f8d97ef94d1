package canistertest_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/test/canistertest"
)

var names = map[string]principal.Principal{"A": principal.Canister(1), "B": principal.Canister(2)}

func TestATextIsReadAsItIsPrinted(t *testing.T) {
	a, b := "@"+principal.Canister(1).String(), "@"+principal.Canister(2).String()
	for text, want := range map[string]string{
		"":                   "",
		`reply "x"`:          "",
		`reply`:              "",
		`append; reply`:      "",
		`reply time`:         "reply bytes(time)",
		`reply "n: " + get;`: `reply "n: " + bytes(get)`,
		`append "a" + ("b" + caller) + 0x00ff; reply`:      `reply "a" + ("b" + caller) + 0x00ff`,
		`reply "\"\\\n\t\41"`:                              `reply "\"\\\n\tA"`,
		`set add(get, 1_000)`:                              `set add(get, 1000)`,
		`push 1; push 2; set add`:                          `set add(1, 2)`,
		`dup; swap; drop; set add(5)`:                      "",
		`push 1; dup; set add`:                             `dup 1; set add`,
		`if replicated {trap "no"}; repeat 3 {append "x"}`: "",
		`if {stop}`: "",
		`on timer {drop timer(0)}; on heartbeat {}`: "",
		`hook 9, {stop}`:                                        "",
		`stable-write 0, stable-read(1, 2)`:                     "",
		`call-new B, "m", {}, {}; call-data ""`:                 `call-new 0x` + "00000000000000020101" + `, "m", {}, {}; call-data ""`,
		`call B.run()`:                                          `call ` + b + `.run()`,
		`call A.run(reply "x") on-reply(reply arg) ; reply "y"`: `call ` + a + `.run(reply "x") on-reply(reply arg); reply "y"`,
		`call self."strange name"(arg + 7) not-sent(reject "full") cycles 5 within 10 on-cleanup() on-reject(reject reject-message)`: `call self."strange name"(arg + bytes(7)) cycles 5 within 10 on-reject(reject reject-message) on-cleanup() not-sent(reject "full")`,
		`call (caller).(arg)(call caller.x(call caller.y(unreachable)))`:                                                             `call caller.(arg)(call caller.x(call caller.y(unreachable)))`,
		`raw 0xfe01`: "",
	} {
		if want == "" {
			want = text
		}
		program, err := canistertest.Parse(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := program.String(); got != want {
			t.Errorf("%s\nis printed as\n%s, want\n%s", text, got, want)
		}
		again(t, program)
	}
}

// again reads what a program is printed as.
func again(t rapid.TB, program *canistertest.Program) {
	t.Helper()
	text := program.String()
	back, err := canistertest.Parse(text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !bytes.Equal(back.Bytes(), program.Bytes()) {
		t.Fatalf("%s is read as\n%x, want\n%x", text, back.Bytes(), program.Bytes())
	}
}

func TestATextThatMakesNoSenseSaysWhereAndWhy(t *testing.T) {
	for text, want := range map[string]string{
		`replay "x"`:                            "character 1: replay where the program should end",
		`reply "x`:                              "character 7: the string has no end",
		`reply "\q"`:                            `character 8: \ needs`,
		`reply foo`:                             "character 7: foo is neither a name nor a value",
		`reply "a", "b"`:                        "character 12: reply takes 1 operands",
		`set "a"`:                               "character 5: set takes a number here, not bytes",
		`hook 1, 2`:                             "character 9: hook takes a program here, not a number",
		`call C.run()`:                          "character 6: C is neither",
		`call @x.run()`:                         "character 6: @x is no principal",
		`call B.run() cycles 1 cycles 2`:        "character 23: cycles is given twice",
		`call B.run(reply "x"`:                  "character 21: the end where ) should be",
		`on monday {}`:                          "character 4: monday is no hook",
		`reply 0x123`:                           "character 7: 0x123 is not hexadecimal",
		`set 99999999999999999999`:              "character 5: 99999999999999999999 is not a number below 2^64",
		`reply "x" reply "y"`:                   "character 11: reply where the program should end",
		`if 1 reply`:                            "character 6: reply where a program in braces should be",
		`reply ?`:                               `character 7: '?' is not part of the language`,
		strings.Repeat("append (", 1):           "character 9: the end where a value should be",
		"append " + strings.Repeat("(", 20_000): "brackets nest deeper than 10000",
	} {
		_, err := canistertest.Parse(text, names)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestAnyBytesArePrintedAndReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SliceOf(rapid.SampledFrom([]byte{0, 1, 2, 3, 4, 5, 8, 0x0e, 0x0f, 0x10, 0x18, 0x19, 0x20, 0x21, 0x23, 0x36, 0x60, 0x61, 0x62, 0x63, 0x65, 0x70, 0xff})).Draw(t, "code")
		program := canistertest.Script().Raw(code...)
		text := program.String()
		back, err := canistertest.Parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !bytes.Equal(back.Bytes(), code) {
			t.Fatalf("%s is read as\n%x", text, back.Bytes())
		}
	})
}

func FuzzATextIsReadOrRefused(f *testing.F) {
	f.Add(`call A.run(reply "x") cycles 5 on-reply(reply arg + 0x00); if get {on timer {stop}}`)
	f.Add(`raw 0xfe01`)
	f.Fuzz(func(t *testing.T, text string) {
		if program, err := canistertest.Parse(text, names); err == nil {
			again(t, program)
		}
	})
}
