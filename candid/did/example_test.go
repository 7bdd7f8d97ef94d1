package did

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExamplesAreArgumentsOfTheirMethods(t *testing.T) {
	f := parse(t, ledger)
	for method, want := range map[string]string{
		"balance":  `(record { owner = principal "2vxsx-fae"; subaccount = opt blob "\01\02" })`,
		"transfer": `(record { owner = principal "2vxsx-fae"; subaccount = opt blob "\01\02" }, record { owner = principal "2vxsx-fae"; subaccount = opt blob "\01\02" }, 1)`,
		"notify":   `(variant { leaf })`,
		"walk":     `(variant { leaf })`,
	} {
		m, _ := f.Method(method)
		if got, ok := m.Example(); got != want || !ok {
			t.Errorf("%s: %s (%t), want %s", method, got, ok, want)
		}
	}
}

func TestExamplesOfRecursiveTypesEnd(t *testing.T) {
	f := parse(t, `
type List = opt record { head : nat; tail : List };
type Tree = record { value : text; children : vec Tree };
type Endless = record { Endless };
type Wide = record { a : Deep; b : Deep; c : Deep };
type Deep = record { a : Deeper; b : Deeper; c : Deeper };
type Deeper = record { a : Deepest; b : Deepest; c : Deepest };
type Deepest = record { a : Last; b : Last; c : Last };
type Last = record { a : Leaf; b : Leaf; c : Leaf };
type Leaf = record { a : nat; b : nat };
service : {
  list : (List) -> ();
  tree : (root : Tree) -> ();
  endless : (Endless) -> ();
  wide : (Wide) -> ();
  optional : (opt Wide) -> ();
  nothing : (empty) -> ();
  numbers : (int8, nat64, float32, name : text, vec record { nat; text }, service {}, func () -> (), reserved, record {}) -> ();
}`)
	for method, want := range map[string]string{
		"list":     `(opt record { head = 1; tail = null })`,
		"tree":     `(record { value = "value"; children = vec {} })`,
		"endless":  "",
		"wide":     "",
		"optional": `(null)`,
		"nothing":  "",
		"numbers":  `(1, 1, 1.5, "name", vec { record { 1; "text" } }, service "aaaaa-aa", func "aaaaa-aa".raw_rand, null, record {})`,
	} {
		m, _ := f.Method(method)
		if got, ok := m.Example(); got != want || ok != (want != "") {
			t.Errorf("%s: %s (%t), want %s", method, got, ok, want)
		}
	}
}

// The methods of the management canister have all kinds of types that are in use.
func TestEveryMethodOfTheManagementCanisterHasAnExample(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../replica/internal/management/testdata/ic.did"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range parse(t, string(text)).Methods() {
		if example, ok := m.Example(); !ok || !strings.HasPrefix(example, "(") {
			t.Errorf("%s has the example %q", m.Name, example)
		}
	}
}
