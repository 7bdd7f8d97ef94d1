//go:build clients && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mopsPackage is the package test/e2e/mops in a folder of its own. toolchain is the line for PocketIC's server.
type mopsPackage struct{ folder, compiler, toolchain, tool string }

func newMopsPackage(t *testing.T, line string) mopsPackage {
	t.Helper()
	p := mopsPackage{folder: t.TempDir(), toolchain: strings.ReplaceAll(line, "/path/of/pocket-ic", pocketIC(t, "pocket-ic"))}
	for _, folder := range []string{"src", "test", "bench", "lib"} {
		if err := os.CopyFS(filepath.Join(p.folder, folder), os.DirFS(filepath.Join("mops", folder))); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if p.compiler, err = filepath.Abs("mops/moc.mjs"); err != nil {
		t.Fatal(err)
	}
	if p.tool, err = filepath.Abs("mops/node_modules/.bin/mops"); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a command of mops with a toolchain, and gives what it prints.
func (p mopsPackage) run(t *testing.T, toolchain string, command ...string) string {
	t.Helper()
	config := strings.Replace(p.toolchain, "] ", "]\n", 1) + "\n" + toolchain + "\n[dependencies]\nbench = \"./lib/bench\"\n"
	if err := os.WriteFile(filepath.Join(p.folder, "mops.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.tool, command...)
	cmd.Dir = p.folder
	// Where CI is set, mops writes into the files of the user's shell.
	cmd.Env = append(os.Environ(), "CI=", "HOME="+t.TempDir(), "TMPDIR="+t.TempDir(), "NO_COLOR=1", "DFX_MOC_PATH="+p.compiler)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("mops %s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

func TestMopsTestsAPackageInCanisters(t *testing.T) {
	p := newMopsPackage(t, pasted(t, "`mops` 2.9"))
	out := p.run(t, fmt.Sprintf("moc = %q\n", p.compiler), "test", "--mode", "replica")
	for _, want := range []string{"✓ the sum of nothing", "stdout sums are tested in a canister", "passed 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("mops test does not print %q:\n%s", want, out)
		}
	}
}

// mops bench takes the version of the compiler from mops.toml, where a path is none, and otherwise from the compiler.
func TestMopsMeasuresAPackageInCanisters(t *testing.T) {
	out := newMopsPackage(t, pasted(t, "`mops` 2.9")).run(t, "", "bench")
	if !regexp.MustCompile(`\| sum \| \d_\d{3} \| \d{2}_\d{3} \|`).MatchString(out) {
		t.Errorf("mops bench prints no instructions of both sums:\n%s", out)
	}
}

// The recipe motoko of canisterd.yaml takes packages from mops, and the compiler from npm.
func TestCanistersAreBuiltWithPackagesOfMops(t *testing.T) {
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	installed, err := filepath.Abs("mops/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(installed, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"canisterd.yaml":       "canisters: {greeter: {motoko: {main: src/main.mo}}}",
		"mops.toml":            "[dependencies]\nwords = \"./lib/words\"\n",
		"lib/words/mops.toml":  "[package]\nname = \"words\"\nversion = \"1.0.0\"\n",
		"lib/words/src/lib.mo": `module { public func greeting(name : Text) : Text { "Hello, " # name } };`,
		"src/main.mo":          `import Words "mo:words"; persistent actor { public query func greet(name : Text) : async Text { Words.greeting(name) } };`,
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "exec", "--deploy", ".", "--", "canisterd", "canister", "query", "greeter", "greet", `"Ada"`)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CI=", "HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	printed, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(printed), "(\"Hello, Ada\")\n") {
		t.Errorf("canisterd exec: %v\n%s", err, printed)
	}
}
