package property_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/property"
)

var names = &property.Names{Canister: func(name string) (principal.Principal, bool) {
	numbers := map[string]uint64{"vault": 1, "bank": 2}
	return principal.Canister(numbers[name]), numbers[name] != 0
}}

func TestInvariantsAreReadFromOneLine(t *testing.T) {
	for line, want := range map[string]property.Invariant{
		"vault paidOut <= 100":                 {Relation: "<="},
		`vault "paid" == 1_000_000`:            {Relation: "=="},
		"each message: vault a > bank b":       {Relation: ">", When: property.EachMessage},
		"eventually:bank locked == 0":          {Relation: "==", When: property.Eventually},
		`vault of ("a < b", 7) != "no <= yes"`: {Relation: "!="},
		"bank balance(record { x = 1 }) >= 0":  {Relation: ">="},
	} {
		p, err := names.ParseInvariant(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if p.Relation != want.Relation || p.When != want.When || p.Title != line || (p.Right != nil) == (p.Value != nil) {
			t.Errorf("%s is read as %+v", line, p)
		}
	}
}

func TestInvariantsThatCannotBeReadSayWhy(t *testing.T) {
	for line, want := range map[string]string{
		"vault paidOut":               "expected a query, one of == !=",
		"safe paidOut <= 1":           `no canister has the name "safe"`,
		"vault <= 1":                  "expected a canister and a query",
		"vault paidOut <= a lot":      "neither a query nor a Candid value",
		"vault paidOut (1, <= 3) = 1": "expected a query, one of",
	} {
		if _, err := names.ParseInvariant(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", line, err, want)
		}
	}
}
