package did

import (
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
)

const ledger = `
// A ledger, /* more or less */
/* with /* nested */ comments */
type Account = record { owner : principal; subaccount : opt blob };
type Tree = variant { leaf; branch : record { Tree; nat; Tree } };
type Callback = func (Tree) -> () oneway;
type Alias = Account;
type Quoted = record { "opt" : nat8; "with space" : text; text : bool; 7 : int; nat };
service ledger : (init : record { fee : nat }, opt text) -> {
  balance : (account : Alias) -> (nat) query;
  "transfer" : (Account, Account, amount : nat64) -> (variant { Ok : nat; Err : text });
  notify : Callback;
  walk : (Tree) -> (Tree) composite_query;
}
`

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMethodsHaveTheirSignatures(t *testing.T) {
	f := parse(t, ledger)
	var shown []string
	for _, m := range f.Methods() {
		shown = append(shown, m.Name)
	}
	if got := strings.Join(shown, " "); got != "balance notify transfer walk" {
		t.Errorf("methods: %s", got)
	}
	m, _ := f.Method("balance")
	if m.Annotation != candid.Query || m.Args[0].Name != "account" || m.Args[0].Type.String() != "Alias" || len(m.Results) != 1 {
		t.Errorf("balance: %+v", m)
	}
	if m, _ := f.Method("notify"); m.Annotation != candid.Oneway {
		t.Errorf("notify: %+v", m)
	}
	if m, _ := f.Method("walk"); m.Annotation != candid.CompositeQuery {
		t.Errorf("walk: %+v", m)
	}
	if init, ok := f.Init(); !ok || len(init) != 2 || init[0].Name != "init" {
		t.Errorf("init: %+v %v", init, ok)
	}
	if _, ok := f.Method("missing"); ok {
		t.Error("a method that is not there was found")
	}
}

func TestTextGoesThroughAMethodAndBackWithNames(t *testing.T) {
	f := parse(t, ledger)
	walk, _ := f.Method("walk")
	const tree = `(variant { branch = record { variant { leaf }; 5; variant { leaf } } })`
	message, err := walk.EncodeArgs(tree)
	if err != nil {
		t.Fatal(err)
	}
	values, err := walk.DecodeArgs(message)
	if err != nil {
		t.Fatal(err)
	}
	want := `(variant { branch = record { variant { leaf }; 5 : nat; variant { leaf } } })`
	if got := candid.FormatArgs(values); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	transfer, _ := f.Method("transfer")
	if _, err := transfer.EncodeArgs(`(record { owner = 5 })`); err == nil || !strings.Contains(err.Error(), "owner") {
		t.Errorf("got %v", err)
	}
	if _, err := f.EncodeInit(`(record { fee = 1 })`); err != nil {
		t.Error(err)
	}
	answer, err := transfer.EncodeResults(`(variant { Err = "no" })`)
	if err != nil {
		t.Fatal(err)
	}
	if values, err := transfer.DecodeResults(answer); err != nil || candid.FormatArgs(values) != `(variant { Err = "no" })` {
		t.Errorf("got %s, %v", candid.FormatArgs(values), err)
	}
}

func TestAPrintedFileParsesToAnEqualOne(t *testing.T) {
	f := parse(t, ledger)
	printed := f.String()
	again := parse(t, printed)
	if again.String() != printed {
		t.Errorf("printed twice:\n%s\n%s", printed, again)
	}
	for _, pair := range [][2]*candid.Type{{f.Service(), again.Service()}, {again.Service(), f.Service()}} {
		if err := candid.CheckSubtype(pair[0], pair[1]); err != nil {
			t.Error(err)
		}
	}
	want := "type Quoted = record {\n  \"opt\" : nat8;\n  \"with space\" : text;\n  text : bool;\n  7 : int;\n  nat;\n};"
	if !strings.Contains(printed, want) {
		t.Errorf("it does not contain %s:\n%s", want, printed)
	}
}

func TestFilesThatMakeNoSenseAreRefusedWithAReason(t *testing.T) {
	for text, reason := range map[string]string{
		`type A = B;`:                                    "type B is not defined",
		`type A = B; type B = A;`:                        "by nothing but itself",
		`type A = A;`:                                    "by nothing but itself",
		`type A = nat; type A = int;`:                    "defined twice",
		`type nat = int;`:                                "primitive type",
		`type opt = int;`:                                "keyword",
		`type A = record { a : nat; a : int };`:          "the field a twice",
		`type A = record { a : nat; 97 : int };`:         "have the same id 97",
		`type A = variant { nat; nat };`:                 "the field nat twice",
		`type A = record { 4294967296 : nat };`:          "not a field id",
		`type A = record { 4294967295 : nat; nat };`:     "highest id",
		`type A = func () -> (nat) oneway;`:              "has no results",
		`type A = func (a : nat, a : nat) -> ();`:        "two arguments have the name a",
		`service : { a : () -> (); a : () -> () }`:       `the method "a" twice`,
		`type A = nat; service : { a : A }`:              "not a func",
		`type A = nat; type S = service { a : A };`:      "not a func",
		`type A = nat; service : A`:                      "the type A, which is a nat",
		`service : B`:                                    "type B is not defined",
		`service : (B) -> {}`:                            "type B is not defined",
		`service : {} type A = nat;`:                     "the end is expected",
		`import "other.did"; service : {}`:               "imports are not followed here",
		`type A = record { a nat }`:                      "“;” or “}” is expected",
		`type A = "x"`:                                   "a type is expected",
		"type A = vec vec":                               "line 1, column 17",
		"/* open":                                        "not closed",
		"type A = " + strings.Repeat("opt ", 2000) + "x": "deeper",
		"\xff": "UTF-8",
		"#":    "no meaning",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.60s: got %v, want %s", text, err, reason)
		}
	}
}

func TestImportsComeThroughTheLoader(t *testing.T) {
	files := map[string]string{
		"a.did":         `type T = record { x : nat }; import "b.did"; service : { a : (T) -> () }`,
		"b.did":         `import "a.did"; type U = vec T;`,
		"broken.did":    `type X = ;`,
		"init.did":      `service : (nat) -> {}`,
		"dir/c.did":     `import "sub/d.did"; import "../b.did"; type C = D`,
		"dir/sub/d.did": `type D = text`,
	}
	load := func(path string) (string, error) {
		text, ok := files[path]
		if !ok {
			return "", errors.New("no such file")
		}
		return text, nil
	}
	f, err := ParseWith(`import service "a.did"; service : { main : (U) -> (T) query }`, load)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Methods()) != 2 || len(f.Names()) != 2 {
		t.Errorf("methods %v, names %v", f.Methods(), f.Names())
	}
	if again := parse(t, f.String()); len(again.Methods()) != 2 {
		t.Errorf("printed: %s", f)
	}
	if f, err := ParseWith(`import "a.did"; import service "a.did"`, load); err != nil || len(f.Methods()) != 1 {
		t.Errorf("a service taken in later: %v, %v", f, err)
	}
	if _, err := ParseWith(`import "dir/c.did"; import "./a.did"; type E = record { C; D; U }`, load); err != nil {
		t.Error(err)
	}
	f, err = ParseWith(`import service "named.did"`, func(string) (string, error) {
		return `type S = Same; type Same = service { "x y" : F }; type F = func () -> (); service : S`, nil
	})
	if err != nil || len(f.Methods()) != 1 {
		t.Fatalf("a service given by name: %v, %v", f, err)
	}
	if again := parse(t, f.String()); len(again.Methods()) != 1 || again.Methods()[0].Name != "x y" {
		t.Errorf("printed: %s", f)
	}
	for text, reason := range map[string]string{
		`import "missing.did"`:                             "no such file",
		`import "broken.did"`:                              `in the imported file "broken.did": line 1, column 10`,
		`import service "b.did"`:                           "declares no service",
		`import service "init.did"`:                        "constructor",
		`import service "a.did"; service : {a : () -> ()}`: "twice",
	} {
		if _, err := ParseWith(text, load); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %v, want %s", text, err, reason)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(ledger)
	f.Add(`type A = service { f : (record { 1 : opt A; nat }) -> (blob) query }; service : () -> A`)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		printed := file.String()
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("printed, it no longer parses: %v\n%s", err, printed)
		}
		if again.String() != printed {
			t.Fatalf("printed twice it differs:\n%s\n%s", printed, again)
		}
		if file.Service() != nil {
			if err := candid.CheckSubtype(file.Service(), again.Service()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
