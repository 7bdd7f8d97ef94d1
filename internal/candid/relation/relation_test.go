package relation_test

import (
	"math/big"
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

func TestASideIsDividedAtTheOperatorThatIsAppliedLast(t *testing.T) {
	for side, want := range map[string][3]string{
		"a b + c d":           {"a b ", "+", " c d"},
		"a b - c d + 1":       {"a b - c d ", "+", " 1"},
		"a b * 2 - c d * 3":   {"a b * 2 ", "-", " c d * 3"},
		"a b * 2 * 3":         {"a b * 2 ", "*", " 3"},
		"old(a b + c d)":      {"old(a b + c d)", "", ""},
		`a of (" + ")`:        {`a of (" + ")`, "", ""},
		"ryjl3-tyaaa-aaaaa b": {"ryjl3-tyaaa-aaaaa b", "", ""},
		"-5":                  {"-5", "", ""},
		"- 5":                 {"- 5", "", ""},
		"a b +":               {"a b +", "", ""},
		"a b +1":              {"a b +1", "", ""},
		"a of (1) - 2":        {"a of (1) ", "-", " 2"},
	} {
		if left, operator, right := relation.CutOperator(side); [3]string{left, operator, right} != want {
			t.Errorf("%s is divided into %q, %q and %q", side, left, operator, right)
		}
	}
}

func TestNumbersAreWrittenAsPeopleWriteThem(t *testing.T) {
	third := big.NewRat(1, 3)
	for _, c := range []struct {
		got  *big.Rat
		want string
	}{
		{relation.Calculate(big.NewRat(60, 1), "+", big.NewRat(100, 1)), "160"},
		{relation.Calculate(big.NewRat(60, 1), "-", big.NewRat(100, 1)), "-40"},
		{relation.Calculate(big.NewRat(1, 2), "*", big.NewRat(3, 1)), "1.5"},
		{third, "0.333333"},
	} {
		if text := relation.FormatNumber(c.got); text != c.want {
			t.Errorf("%s is written as %s, want %s", c.got, text, c.want)
		}
	}
	if holds, err := relation.HoldsBetween(third, "<", big.NewRat(1, 2)); err != nil || !holds {
		t.Errorf("1/3 < 1/2 is %t, %v", holds, err)
	}
	if _, err := relation.HoldsBetween(third, "=~", third); err == nil {
		t.Error("the relation =~ is accepted")
	}
}
