package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestARecipeHasADefaultModuleAndTwoThatDifferHaveOtherTexts(t *testing.T) {
	p, err := projectOf(t, `
canisters:
  plain: {wasm: plain.wasm}
  made: {build: make made.wasm, wasm: made.wasm}
  bank: {motoko: {main: src/bank.mo}}
  twin: {motoko: {main: src/bank.mo}, wasm: .canisterd/build/bank.wasm}
  fast: {motoko: {main: src/bank.mo, args: [-O]}, wasm: .canisterd/build/bank.wasm}
  vault: {rust: {package: vault}, wasm: out/vault.wasm}
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"plain": "plain.wasm", "made": "made.wasm", "bank": ".canisterd/build/bank.wasm", "vault": "out/vault.wasm"} {
		if got := p.Canisters[name].Wasm; got != want {
			t.Errorf("the module of %s is %s, want %s", name, got, want)
		}
		if built := p.Canisters[name].Built(); built != (name != "plain") || built != (p.Canisters[name].Recipe() != "") {
			t.Errorf("%s: built: %v, recipe %q", name, built, p.Canisters[name].Recipe())
		}
	}
	if a, b := p.Canisters["bank"].Recipe(), p.Canisters["twin"].Recipe(); a != b {
		t.Errorf("the same recipe is %s and %s", a, b)
	}
	if a, b := p.Canisters["bank"].Recipe(), p.Canisters["fast"].Recipe(); a == b {
		t.Errorf("recipes with other arguments are both %s", a)
	}
}

func TestFilesOfAProjectAreThoseThatDeploymentsRead(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "terms.json"), "[5]")
	writeFile(t, filepath.Join(folder, File), "canisters:\n  bank: {wasm: bank.wasm.gz, debug: bank.debug.wasm, init_file: terms.json}\n  vault: {wasm: vault.wasm, map: maps/vault}\n")
	p, err := Read(folder, Inside)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.OwnFiles(); !slices.Equal(got, []string{File, "terms.json"}) {
		t.Errorf("the project is read from %v", got)
	}
	if got := p.ModuleFiles("bank"); !slices.Equal(got, []string{"bank.wasm.gz", "bank.wasm.map", "bank.debug.wasm"}) {
		t.Errorf("the files of bank are %v", got)
	}
	if got := p.ModuleFiles("vault"); !slices.Equal(got, []string{"vault.wasm", "maps/vault"}) {
		t.Errorf("the files of vault are %v", got)
	}
	before, err := p.Description()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "terms.json"), "[6]")
	if p, err = Read(folder, Inside); err != nil {
		t.Fatal(err)
	}
	if after, err := p.Description(); err != nil || after == before {
		t.Errorf("with other arguments the project is described alike (%v):\n%s", err, after)
	}
}

func TestASourceMapBesideAModuleIsFoundFromAnotherDirectory(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "a.wasm.map"), "lines")
	writeFile(t, filepath.Join(folder, File), "canisters: {a: {wasm: a.wasm}}")
	t.Chdir(filepath.Join(folder, "src"))
	for _, reach := range []Reach{Inside, Anywhere} {
		p, err := Read(Nearest(), reach)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := p.DebugInfo("a"); err != nil || string(d.SourceMap) != "lines" {
			t.Errorf("found %q (%v)", d.SourceMap, err)
		}
	}
}
