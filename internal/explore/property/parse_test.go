package property_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/property"
)

var numbers = map[string]uint64{"vault": 1, "bank": 2}

var names = &property.Names{
	Canister: func(name string) (principal.Principal, bool) {
		if numbers[name] != 0 {
			return principal.Canister(numbers[name]), true
		}
		id, err := principal.Parse(name)
		return id, err == nil
	},
	Name: func(id principal.Principal) string {
		for name, number := range numbers {
			if id == principal.Canister(number) {
				return name
			}
		}
		return ""
	},
	Known: []string{"bank", "vault"},
}

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
		"valt paidOut <= 1":           `no canister has the name "valt"; did you mean vault?`,
		"vault paidOut <= bnak owed":  "neither a query nor a Candid value; did you mean bank?",
		`vault of ("${bnk}") <= 1`:    `${bnk}: no canister has the name "bnk"; did you mean bank?`,
		"vault <= 1":                  "expected a canister and a query",
		"vault paidOut <= a lot":      "neither a query nor a Candid value",
		"vault paidOut (1, <= 3) = 1": "expected a query, one of",
	} {
		if _, err := names.ParseInvariant(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", line, err, want)
		}
	}
}

func TestALineMeansTheSameInANetworkWithOtherIds(t *testing.T) {
	bank, vault := principal.Canister(2), principal.Canister(1)
	for line, title := range map[string]string{
		`vault of (principal "${bank}") <= 100`:               `vault of (principal "${bank}") <= 100`,
		`vault of (principal "` + bank.String() + `") <= 100`: `vault of (principal "${bank}") <= 100`,
		vault.String() + ` of (principal "${bank}") <= 100`:   `${vault} of (principal "${bank}") <= 100`,
	} {
		p, err := names.ParseInvariant(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		arg, err := candid.EncodeValues(candid.Principal(bank))
		if err != nil {
			t.Fatal(err)
		}
		if p.Title != title || p.Left.Canister != vault || !bytes.Equal(p.Left.Arg, arg) {
			t.Errorf("%s is read as %+v", line, p)
		}
	}
}
