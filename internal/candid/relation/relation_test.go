package relation_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/candid/relation"
)

func TestNumbersAreComparedByValueAndOthersForEquality(t *testing.T) {
	for _, c := range []struct {
		left, right candid.Value
		holds       string // the relations that hold, in the order of All
	}{
		{candid.NatOf(1), candid.Int8(1), "== <= >="},
		{candid.Nat64(1), candid.IntOf(2), "!= <= <"},
		{candid.Float64(0.5), candid.NatOf(0), "!= >= >"},
		{candid.Text("a"), candid.Text("a"), "=="},
		{candid.Text("a"), candid.NatOf(1), "!="},
		{candid.Bool(true), candid.Bool(false), "!="},
	} {
		var holds []string
		for _, is := range relation.All {
			if yes, err := relation.Holds(c.left, is, c.right); err == nil && yes {
				holds = append(holds, is)
			}
		}
		if got := strings.Join(holds, " "); got != c.holds {
			t.Errorf("%s and %s are %q, want %q", candid.Format(c.left), candid.Format(c.right), got, c.holds)
		}
	}
	if _, err := relation.Holds(candid.NatOf(1), "=~", candid.NatOf(1)); err == nil {
		t.Error("the relation =~ is accepted")
	}
}

func TestALineIsDividedOutsideOfQuotesAndParentheses(t *testing.T) {
	for line, want := range map[string][3]string{
		"a b <= 1":                 {"a b ", "<=", " 1"},
		`a of ("<", 7)!="no <= y"`: {`a of ("<", 7)`, "!=", `"no <= y"`},
		`a of ("\" < ", "\\") < 2`: {`a of ("\" < ", "\\") `, "<", " 2"},
		"a [b < 1] > 2":            {"a [b < 1] ", ">", " 2"},
		"a (b < 1) {c > 2}":        {"a (b < 1) {c > 2}", "", ""},
	} {
		if left, is, right := relation.Split(line); [3]string{left, is, right} != want {
			t.Errorf("%s is divided into %q, %q and %q", line, left, is, right)
		}
	}
}
