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
