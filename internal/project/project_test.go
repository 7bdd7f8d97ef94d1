package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func projectOf(t *testing.T, text string) (*Project, error) {
	t.Helper()
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, File), text)
	return Read(folder, Inside)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCanistersAreInstalledAfterThoseTheyNeed(t *testing.T) {
	p, err := projectOf(t, `
canisters:
  alpha: {wasm: a.wasm, after: [zeta]}
  beta: {wasm: b.wasm, init: '(principal "${alpha}", principal "${SELF}")'}
  zeta: {wasm: z.wasm, environment: {OTHER: "${beta}"}}
  env: {wasm: e.wasm, environment: {OTHER: "${zeta}"}}
`)
	if err != nil {
		t.Fatal(err)
	}
	order, err := p.Order()
	if want := []string{"zeta", "alpha", "beta", "env"}; err != nil || !slices.Equal(order, want) {
		t.Errorf("order %v (%v), want %v", order, err, want)
	}
	ids := map[string]string{"alpha": "aaa", "beta": "bbb", "zeta": "zzz", "env": "eee"}
	if arg, err := p.Canisters["beta"].Argument("beta", ids); err != nil || arg.Text != `(principal "aaa", principal "bbb")` {
		t.Errorf("argument %v (%v)", arg, err)
	}
	settings, err := p.Given("zeta", ids)
	if err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range settings.Environment {
		variables = append(variables, v.Name+"="+v.Value)
	}
	if want := []string{"OTHER=bbb", "PUBLIC_CANISTER_ID:alpha=aaa", "PUBLIC_CANISTER_ID:beta=bbb", "PUBLIC_CANISTER_ID:env=eee", "PUBLIC_CANISTER_ID:zeta=zzz"}; !slices.Equal(variables, want) {
		t.Errorf("variables %v, want %v", variables, want)
	}
}

func TestCanistersThatNameEachOtherAreNoCircleAndThoseThatWaitForEachOtherAre(t *testing.T) {
	p, err := projectOf(t, "canisters:\n  a: {wasm: a.wasm, init: '${b}'}\n  b: {wasm: b.wasm, init: '${a}'}\n")
	if err != nil {
		t.Fatal(err)
	}
	if order, err := p.Order(); err != nil || !slices.Equal(order, []string{"b", "a"}) {
		t.Errorf("order %v (%v)", order, err)
	}
	p, err = projectOf(t, "canisters:\n  a: {wasm: a.wasm, after: [b]}\n  b: {wasm: b.wasm, after: [c]}\n  c: {wasm: c.wasm, after: [a]}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Order(); err == nil || !strings.Contains(err.Error(), "a after b after c after a") {
		t.Errorf("a circle: %v", err)
	}
}

func TestMistakesInAProjectAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"canisters: {}":                                        "names no canisters",
		"canister: {a: {wasm: x}}":                             "there is no key canister; did you mean canisters? (there are canisters, networks, budgets, explore)",
		"canisters: {a: {wasm: x, unknown: 1}}":                "there is no key unknown (there are wasm, build, motoko, rust, sources, map, debug, init, init_json,",
		"canisters: {a: {}}":                                   "canister a: wasm is missing: set it to the module file, or build the module with build:, motoko: or rust:",
		"canisters: {a: }":                                     "canister a: wasm is missing: set it to the module file",
		"canisters: {a: {build: make}}":                        "canister a: wasm is missing: set it to the module that build makes",
		"canisters: {a: {motoko: {}}}":                         "canister a: motoko: main is missing: set it to the file with the actor",
		"canisters: {a: {motoko: a.mo}}":                       "line 1: expected keys with values, not `a.mo`",
		"canisters: {a: {motoko: {mian: a.mo}}}":               "there is no key mian; did you mean main? (there are main, args)",
		"canisters: {a: {rust: {}}}":                           "canister a: rust: package is missing: set it to the name of a package of Cargo",
		"canisters: {a: {rust: {package: a}, build: b}}":       "canister a: only one of build and rust can be given",
		"canisters: {a: {rust: {package: a}, wasm: ../a}}":     "canister a: wasm: ../a is outside the directory of the project, in which recipes write",
		"canisters: {a: {wasm: a, sources: [src]}}":            "canister a: sources: the module is not built: add build:, motoko: or rust:, or remove sources",
		"canisters: {a: {wasm: a, build: b, sources: ['[']}}":  `canister a: sources: invalid pattern "["`,
		"canisters: {a: {motoko: {main: a.mo}}}":               ".canisterd/build/a.wasm: no such file or directory: canisterd build a makes it",
		"canisters: {'a b': {wasm: x}}":                        `invalid name "a b"`,
		"canisters: {a: {wasm: x, after: [b]}}":                `after: "b" is not another canister`,
		"canisters: {a: {wasm: x, after: [a]}}":                `after: "a" is not another canister`,
		"canisters: {a: {wasm: x, init: '${c}'}}":              `canister a: ${c}: "c" is neither a canister of the project nor an identity; for a literal ${ write $${`,
		"canisters: {bank: {wasm: x, init: '${bnak}'}}":        `${bnak}: "bnak" is neither a canister of the project nor an identity; did you mean bank?`,
		"canisters: {a: {wasm: x, environment: {B: '${c}'}}}":  `canister a: environment: B: ${c}: "c" is neither`,
		"canisters: {a: {wasm: x, controllers: [c]}}":          `canister a: controllers: "c" is neither a canister of the project, an identity nor a principal`,
		"canisters: {a: {wasm: x, init: '1', init_json: '1'}}": "init and init_json",
		"canisters: {a: {wasm: x, cycles: lots}}":              `invalid amount of cycles "lots"`,
		"":                                    "it is empty: list canisters under canisters:",
		"canisters: [1]":                      "line 1: expected keys with values, not a list",
		"canisters: {a: {wasm: x, after: b}}": "line 1: expected a list, not `b`",
		"canisters: {a: {wasm: [x]}}":         "line 1: expected a text, not a list",
		"canisters: {a: {wasm: x, settings: {compute_allocation: much}}}": "line 1: expected a whole number, not `much`",
		"canisters: [": "canisterd.yaml:",
		"canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, with_dependencies: all}}}":                    "line 1: expected true or false, not `all`",
		"canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, stand_in: a.yaml, with_dependencies: true}}}": "canister a: clone: the stand-in is in a.yaml: remove from and with_dependencies",
		"canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, stand_in: a.yaml, from: ic}}}":                "canister a: clone: the stand-in is in a.yaml: remove from and with_dependencies",
		"canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, stand_in: a.yaml}}}":                          "canister a: clone: reading the stand-in: open a.yaml: no such file or directory",
		"canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, stand_in: canisterd.yaml}}}":                  "canisterd.yaml: invalid stand-in: line 1: field canisters not found",
	} {
		p, err := projectOf(t, text)
		if err == nil {
			err = p.Check(nil, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestIdentitiesAreNamedAsCanistersAre(t *testing.T) {
	p, err := projectOf(t, `
canisters:
  bank:
    wasm: b.wasm
    init: '(principal "${alice}", principal "${bank}", "$${alice}")'
    controllers: [alice, bank, 2vxsx-fae]
    settings: {log_visibility: alice}
`)
	if err != nil {
		t.Fatal(err)
	}
	principals := map[string]string{"alice": "aaaaa-aa", "bank": "bbb"}
	if order, err := p.Order(); err != nil || !slices.Equal(order, []string{"bank"}) {
		t.Errorf("order %v (%v)", order, err)
	}
	if arg, err := p.Canisters["bank"].Argument("bank", principals); err != nil || arg.Text != `(principal "aaaaa-aa", principal "bbb", "${alice}")` {
		t.Errorf("argument %v (%v)", arg, err)
	}
	given, err := p.Given("bank", principals)
	if err != nil || !slices.Equal(given.Controllers, []string{"aaaaa-aa", "bbb", "2vxsx-fae"}) || !slices.Equal(given.LogVisibility.Viewers, []string{"aaaaa-aa"}) {
		t.Errorf("settings %+v (%v)", given, err)
	}
}

func TestAFolderOfModulesIsAProject(t *testing.T) {
	folder := t.TempDir()
	if _, err := Read(folder, Inside); err == nil || !strings.Contains(err.Error(), "neither a canisterd.yaml nor a Wasm file") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{"bank.wasm", "ledger.wasm.gz", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(folder, Inside)
	if err != nil || len(p.Canisters) != 2 || p.Canisters["ledger"].Wasm != "ledger.wasm.gz" || p.Canisters["bank"].Wasm != "bank.wasm" {
		t.Errorf("%+v (%v)", p, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "bank.wasm.gz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(folder, Inside); err == nil || !strings.Contains(err.Error(), "two modules named bank") {
		t.Errorf("two modules of one name: %v", err)
	}
}

func TestAProjectIsFoundInTheFoldersAbove(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, File), "canisters: {}")
	if err := os.MkdirAll(filepath.Join(folder, "src", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(folder, "src", "deep"))
	if got := Nearest(); got != filepath.Join("..", "..") {
		t.Errorf("from src/deep the project is in %s", got)
	}
	writeFile(t, File, "canisters: {}")
	if got := Nearest(); got != "." {
		t.Errorf("with a file of its own the project is in %s", got)
	}
}

func TestArgumentsInJSONAreTextOrYAML(t *testing.T) {
	for text, want := range map[string]string{
		`'["${a}", 5]'`: `["${a}", 5]`,
		`["${a}", 5]`:   `["${a}",5]`,
		`[{limit: 18446744073709551616, who: [x, "1"]}, null, true, 1.5, 2026-01-31]`: `[{"limit":18446744073709551616,"who":["x","1"]},null,true,1.5,"2026-01-31"]`,
		`[{1: one}]`: `[{"1":"one"}]`,
	} {
		p, err := projectOf(t, "canisters: {a: {wasm: x, init_json: "+text+"}}")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := string(p.Canisters["a"].InitJSON); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	if _, err := projectOf(t, "canisters: {a: {wasm: x, init_json: [.inf]}}"); err == nil || !strings.Contains(err.Error(), "cannot be written in JSON") {
		t.Errorf("infinity: %v", err)
	}
}

func TestDebugInformationIsThatOfTheProjectOrBesideTheModule(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{ // in any order
		"a.wasm.gz": "x", "a.wasm.map": "beside", "b.wasm": "x", "b.wasm.map": "beside", "other.map": "named", "b.debug": "debug", "c.wasm": "x",
		"canisterd.yaml": "canisters:\n  a: {wasm: a.wasm.gz}\n  b: {wasm: b.wasm, map: other.map, debug: b.debug}\n  c: {wasm: c.wasm}\n  d: {wasm: c.wasm, map: gone.map}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(folder, Inside)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]string{"a": {"beside", "", filepath.Join(folder, "a.wasm.map")}, "b": {"named", "debug", ""}, "c": {}} { // in any order
		d, err := p.DebugInfo(name)
		if got := [3]string{string(d.SourceMap), string(d.DebugFile), d.Beside}; err != nil || got != want {
			t.Errorf("%s has %q, want %q (%v)", name, got, want, err)
		}
	}
	if _, err := p.DebugInfo("d"); err == nil || !strings.Contains(err.Error(), "reading the source map: ") {
		t.Errorf("a map that is not there: %v", err)
	}
}

func TestKeysAboutCanistersThatACloneCallsNeedIDs(t *testing.T) {
	for keys, want := range map[string]string{
		"with_dependencies: true, stand_ins: [oeee4-qaaaa-aaaak-qaaeq-cai], init: {oeee4-qaaaa-aaaak-qaaeq-cai: (1)}": "",
		"stand_ins: [oeee4-qaaaa-aaaak-qaaeq-cai]":       "stand_ins is about canisters that it calls: set with_dependencies to true",
		"init: {oeee4-qaaaa-aaaak-qaaeq-cai: (1)}":       "init is about canisters that it calls",
		"with_dependencies: true, stand_ins: [ledger]":   `stand_ins: "ledger" is not a principal`,
		"with_dependencies: true, init: {ledger: '(1)'}": `init: "ledger" is not a principal`,
	} {
		_, err := projectOf(t, "canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, "+keys+"}}}")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", keys, err, want)
		}
	}
}

func TestAStandInIsReadFromItsFile(t *testing.T) {
	p, err := projectOf(t, "canisters: {a: {clone: {id: ryjl3-tyaaa-aaaaa-aaaba-cai, stand_in: a.yaml}}, b: {clone: {id: oeee4-qaaaa-aaaak-qaaeq-cai}}, c: {wasm: c.wasm}}")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"ryjl3-tyaaa-aaaaa-aaaba-cai": "", "oeee4-qaaaa-aaaak-qaaeq-cai": "is a stand-in for oeee4-qaaaa-aaaak-qaaeq-cai, and id is ryjl3-tyaaa-aaaaa-aaaba-cai"} {
		text := "version: 1\ncanister: " + id + "\nreplies: [{method: name, argument: '', reply: ''}]\n"
		if err := os.WriteFile(p.Path("a.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := p.StandIn("a")
		if want == "" && (err != nil || len(r.Replies) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v (%v)", id, r, err)
		}
	}
	for _, name := range []string{"b", "c"} {
		if r, err := p.StandIn(name); r != nil || err != nil {
			t.Errorf("%s: %+v (%v)", name, r, err)
		}
	}
	if got := p.ModuleFiles("a"); !slices.Equal(got, []string{"a.yaml"}) || p.ModuleFiles("b") != nil {
		t.Errorf("the files are %v and %v", got, p.ModuleFiles("b"))
	}
}
