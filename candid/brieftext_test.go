package candid_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

func TestBriefTextsLeaveOutWhatPeopleDoNotNeed(t *testing.T) {
	for text, want := range map[string]string{
		`()`:                           `()`,
		`(100 : nat)`:                  `(100)`,
		`(-5 : int8, 1.5)`:             `(-5, 1.5)`,
		`(1_000_000 : nat64)`:          `(1_000_000)`,
		`("a \"b\"")`:                  `("a \"b\"")`,
		`(variant { ok = 900 : nat })`: `(ok = 900)`,
		`(variant { done })`:           `(done)`,
		`(record { a = 1 : nat; b = variant { ok = true } })`:           `({a = 1, b = (ok = true)})`,
		`(record { 1 : nat; "x" })`:                                     `({1, "x"})`,
		`(vec { 1 : nat8; 2 : nat8 })`:                                  `(blob of 2 bytes)`,
		`(vec { "x"; "y" })`:                                            `(["x", "y"])`,
		`(opt (7 : nat), null)`:                                         `(7, null)`,
		`(principal "aaaaa-aa", service "aaaaa-aa", func "aaaaa-aa".m)`: `(management, management, management.m)`,
	} {
		values, err := candid.ParseArgs(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := candid.Brief(values, 100, func(id principal.Principal) string {
			if id == principal.Management {
				return "management"
			}
			return ""
		})
		if got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestALongBriefTextEndsInAnEllipsis(t *testing.T) {
	long := candid.Text(strings.Repeat("ä", 1000))
	for width, want := range map[int]string{10: `("äääääää…`, 1: "…"} {
		if got := candid.Brief([]candid.Value{long}, width, nil); got != want {
			t.Errorf("in %d runes it is %s, want %s", width, got, want)
		}
	}
	deep := candid.Value(candid.Null{})
	for range 1 << 15 {
		deep = candid.Opt{Value: deep}
	}
	wide := make(candid.Vec, 1<<20)
	for i := range wide {
		wide[i] = long
	}
	if got := candid.Brief([]candid.Value{deep, wide}, 20, nil); len([]rune(got)) > 20 {
		t.Errorf("a deep and a wide value take %d runes", len([]rune(got)))
	}
}
