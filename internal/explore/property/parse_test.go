package property_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
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
		if p.Relation != want.Relation || p.When != want.When || p.Title != line {
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
		"100 <= vault paidOut":        "the left side has no query",
		"vault a + true == 1":         `invalid query "true"`,
		"vault a" + strings.Repeat(" + vault a", 98) + " == 1 + 1": "more than 100 queries and values",
	} {
		if _, err := names.ParseInvariant(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", line, err, want)
		}
	}
}

func TestSidesAreSumsAndProductsOfQueriesAndNumbers(t *testing.T) {
	query := func(canister, method string) property.Side {
		return property.Result{Query: harness.Query{Canister: principal.Canister(numbers[canister]), Sender: principal.Anonymous, Method: method, Arg: []byte("DIDL\x00\x00")}}
	}
	with := func(left property.Side, operator string, right property.Side) property.Side {
		return property.Arithmetic{Left: left, Operator: operator, Right: right}
	}
	two := property.Constant{Value: candid.IntOf(2)}
	for text, want := range map[string]property.Side{
		"vault a + bank b":                    with(query("vault", "a"), "+", query("bank", "b")),
		"vault a - bank b - 2":                with(with(query("vault", "a"), "-", query("bank", "b")), "-", two),
		"vault a + 2 * bank b":                with(query("vault", "a"), "+", with(two, "*", query("bank", "b"))),
		"old(vault a)":                        property.Old{Of: query("vault", "a")},
		"old(vault a + bank b)":               property.Old{Of: with(query("vault", "a"), "+", query("bank", "b"))},
		"old(vault a) + bank b":               with(property.Old{Of: query("vault", "a")}, "+", query("bank", "b")),
		principal.Canister(1).String() + " a": query("vault", "a"),
		"vault a" + strings.Repeat(" + vault a", 97) + " - vault a": nil,
	} {
		p, err := names.ParseInvariant(text + " == 1")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want != nil && !reflect.DeepEqual(p.Left, want) {
			t.Errorf("%s is read as %+v", text, p.Left)
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
		if p.Title != title || p.Queries()[0].Canister != vault || !bytes.Equal(p.Queries()[0].Arg, arg) {
			t.Errorf("%s is read as %+v", line, p)
		}
	}
}
