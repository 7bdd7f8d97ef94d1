package argument_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/argument"
)

// types returns the types of the arguments of a method.
func types(t *testing.T, arguments string) (all []*candid.Type) {
	t.Helper()
	file, err := did.Parse("type List = opt record { head : int; tail : List }; type Endless = record { Endless }; service : { m : " + arguments + " -> () }")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := file.Method("m")
	for _, a := range m.Args {
		all = append(all, a.Type)
	}
	return all
}

func drawer(seed uint64) *argument.Drawer {
	return &argument.Drawer{Chance: rand.New(rand.NewPCG(1, seed))}
}

func TestDrawnArgumentsHaveTheirTypes(t *testing.T) {
	m := argument.Method{Types: types(t, "(nat, int, nat8, nat16, nat32, nat64, int8, int16, int32, int64, float32, float64, bool, text, principal, null, reserved, blob, vec opt nat, record { a : text; b : variant { x; y : int } }, List, func () -> (), service {})")}
	for seed := range uint64(300) {
		values, err := drawer(seed).Draw(&m)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := candid.Encode(values, m.Types)
		if err != nil {
			t.Fatalf("%s: %v", candid.FormatArgs(values), err)
		}
		if _, err := candid.DecodeTypes(encoded, m.Types); err != nil {
			t.Fatal(err)
		}
		for _, simpler := range m.Simpler(values) {
			if _, err := candid.Encode(simpler, m.Types); err != nil {
				t.Fatalf("%s is made simpler as %s: %v", candid.FormatArgs(values), candid.FormatArgs(simpler), err)
			}
		}
	}
}

func TestTheSameSeedDrawsTheSameArguments(t *testing.T) {
	m := argument.Method{Types: types(t, "(nat64, text)")}
	for seed := range uint64(20) {
		a, _ := drawer(seed).Draw(&m)
		b, _ := drawer(seed).Draw(&m)
		if candid.FormatArgs(a) != candid.FormatArgs(b) {
			t.Errorf("%s and %s", candid.FormatArgs(a), candid.FormatArgs(b))
		}
	}
}

// share returns in how many of 1,000 cases the second of two argument lists is drawn as wanted.
func share(t *testing.T, m *argument.Method, learn candid.Value, wanted func(first, second candid.Value) bool) (count int) {
	t.Helper()
	for seed := range uint64(1_000) {
		d := drawer(seed)
		if learn != nil {
			d.Learn(learn)
		}
		first, err := d.Draw(m)
		second, again := d.Draw(m)
		if err := errors.Join(err, again); err != nil {
			t.Fatal(err)
		}
		if wanted(first[0], second[0]) {
			count++
		}
	}
	return count
}

func TestDrawnNumbersAreOftenThoseAtWhichCodeChangesItsMind(t *testing.T) {
	m := &argument.Method{Types: types(t, "(nat64)")}
	is := func(n uint64) func(_, v candid.Value) bool {
		return func(_, v candid.Value) bool { return v == candid.Nat64(n) }
	}
	for name, c := range map[string]struct {
		learn  candid.Value
		wanted func(first, second candid.Value) bool
		least  int
	}{
		"zero":                         {nil, is(0), 20},
		"the largest":                  {nil, is(1<<64 - 1), 5},
		"ten":                          {nil, is(10), 15},
		"one that a query returns":     {candid.NatOf(123_456), is(123_456), 50},
		"the one after":                {candid.NatOf(123_456), is(123_457), 20},
		"one in a record":              {candid.Record{{Label: candid.Named("a"), Value: candid.Opt{Value: candid.IntOf(77_777)}}}, is(77_777), 50},
		"the same twice":               {nil, func(a, b candid.Value) bool { return a == b }, 100},
		"neither small nor at a limit": {nil, func(_, v candid.Value) bool { return v.(candid.Nat64) > 1_000 && v.(candid.Nat64) < 1<<60 }, 50},
	} {
		if got := share(t, m, c.learn, c.wanted); got < c.least {
			t.Errorf("%s: %d of 1,000, want at least %d", name, got, c.least)
		}
	}
	m = &argument.Method{Types: types(t, "(text)")}
	if got := share(t, m, candid.Text("alice"), func(_, v candid.Value) bool { return v == candid.Text("alice") }); got < 100 {
		t.Errorf("a known text is drawn in %d of 1,000", got)
	}
}

func TestRangesExamplesAndPrincipalsLimitWhatIsDrawn(t *testing.T) {
	m := &argument.Method{Types: types(t, "(int)"), Range: &argument.Range{Low: big.NewInt(-3), High: big.NewInt(4)}}
	inside := func(_, v candid.Value) bool {
		n := v.(candid.Int).Big()
		return n.Cmp(m.Range.Low) >= 0 && n.Cmp(m.Range.High) <= 0
	}
	if got := share(t, m, candid.IntOf(1_000), inside); got != 1_000 {
		t.Errorf("%d of 1,000 are in the range", got)
	}
	for _, simpler := range m.Simpler([]candid.Value{candid.IntOf(4)}) {
		if !inside(nil, simpler[0]) {
			t.Errorf("%s is not in the range", candid.FormatArgs(simpler))
		}
	}
	m = &argument.Method{Types: types(t, "(nat64)"), Examples: [][]candid.Value{{candid.Nat64(31_415)}}}
	if got := share(t, m, nil, func(_, v candid.Value) bool { return v == candid.Nat64(31_415) }); got < 200 {
		t.Errorf("an example is drawn in %d of 1,000", got)
	}
	d := drawer(1)
	d.Principals = []principal.Principal{principal.Canister(7)}
	if values, err := d.Draw(&argument.Method{Types: types(t, "(principal)")}); err != nil || values[0] != candid.Principal(principal.Canister(7)) {
		t.Errorf("%v, %v", values, err)
	}
	for arguments, within := range map[string]*argument.Range{
		"(nat8)":    {Low: big.NewInt(300), High: big.NewInt(400)},
		"(Endless)": nil,
	} {
		if _, err := drawer(1).Draw(&argument.Method{Types: types(t, arguments), Range: within}); err == nil {
			t.Errorf("arguments %s are drawn", arguments)
		}
	}
}

func TestSimplerArgumentsEndAtTheSimplest(t *testing.T) {
	for arguments, c := range map[string]struct{ text, least string }{
		"(nat64)":          {"(1_000)", "(0 : nat64)"},
		"(int8)":           {"(-100)", "(0 : int8)"},
		"(text)":           {`("abcdef")`, `("")`},
		"(blob)":           {`(blob "abc")`, `(blob "")`},
		"(opt nat)":        {"(opt 5)", "(null)"},
		"(vec nat8, bool)": {`(blob "a", true)`, `(blob "", false)`},
		"(vec text)":       {`(vec { "a"; "b" })`, "(vec {})"},
		"(record { a : nat; b : variant { x : nat; y } })": {"(record { a = 3; b = variant { x = 9 } })", ""},
	} {
		m := &argument.Method{Types: types(t, arguments)}
		values, err := candid.ParseArgsAt(c.text, m.Types)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		for all := m.Simpler(values); len(all) > 0 && steps < 100; all = m.Simpler(values) {
			values = all[0]
			steps++
		}
		if got := candid.FormatArgs(values); c.least != "" && got != c.least || steps == 100 {
			t.Errorf("%s becomes %s in %d steps, want %s", c.text, got, steps, c.least)
		}
	}
	m := &argument.Method{Generate: func(seed int) ([]candid.Value, error) {
		if seed == 3 {
			return nil, errors.New("no value")
		}
		return []candid.Value{candid.NatOf(uint64(seed))}, nil
	}}
	simpler := m.Simpler([]candid.Value{candid.NatOf(12)})
	if len(simpler) != 9 || slices.ContainsFunc(simpler, func(v []candid.Value) bool { return len(candid.FormatArgs(v)) >= len("(12 : nat)") }) {
		t.Errorf("simpler than a generated value are %v", simpler)
	}
}
