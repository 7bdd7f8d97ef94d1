package main

import (
	"strings"
	"testing"
	"time"
)

func TestDurationsHaveDaysAndWeeks(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"7d": 7 * 24 * time.Hour, "1w": 7 * 24 * time.Hour, "1w2d": 9 * 24 * time.Hour, "1d12h": 36 * time.Hour,
		"90m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond, "0s": 0,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "7", "-1s", "1.5d", "2d1w", "99999999w", "106751d24h", "1x", "9223372036854775807ns1d"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestCyclesHaveUnits(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "0": "0", "5T": "5000000000000", "1.5T": "1500000000000", "100": "100", "1_000k": "1000000", "0.000T": "0", "007": "7",
	} {
		if got, err := parseCycles(text); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"many", "-1", "1.5", "T", ".5T", "1.0005k", "1e3", "5 T", "1.2.3T"} {
		if got, err := parseCycles(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestTablesKeepTheirShapeWhateverIsInThem(t *testing.T) {
	c := &cli{out: new(strings.Builder)}
	table := c.table("A", "B")
	table.row("one", "\x1b[2Jtwo\nthree\tfour")
	table.row("größer", "")
	if got, want := table.String(), "A       B\none     ·[2Jtwo·three·four\ngrößer"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestColumnsStayColumnsWhateverTheScript(t *testing.T) {
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
