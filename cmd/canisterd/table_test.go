package main

import (
	"strings"
	"testing"
)

func TestTablesKeepTheirShapeWithAnyContent(t *testing.T) {
	c := &cli{out: new(strings.Builder)}
	table := c.table("A", "B")
	table.row("one", "\x1b[2Jtwo\nthree\tfour")
	table.row("größer", "")
	if got, want := table.String(), "A       B\none     ·[2Jtwo·three·four\ngrößer"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestColumnsAreAlignedInAnyScript(t *testing.T) {
	c := &cli{out: new(strings.Builder)}
	table := c.table("METHOD", "CANISTER")
	for _, method := range []string{"withdraw", "出金する", "인출", "🏦_out", "retire\u0301", "\u202eteg"} {
		table.row(method, "bank")
	}
	const want = "METHOD    CANISTER\nwithdraw  bank\n出金する  bank\n인출      bank\n🏦_out    bank\nretire\u0301    bank\n·teg      bank"
	if got := table.String(); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestAnswersAreReadAsTheyAreWritten(t *testing.T) {
	for text, fine := range map[string]bool{
		"unknown": true, "reply|(1)": true, "reply|1, 2": true, "reject|no": true, "reject|sys_transient|no": true,
		"reject|sys_wrong|no": false, "reply": false, "unknown|really": false, "perhaps": false,
	} {
		if _, err := parseAnswer(strings.Split(text, "|")); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}
