package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/project"
)

// initHere runs canisterd init in an empty directory, which becomes the current one.
func initHere(t *testing.T, language string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, errOut bytes.Buffer
	if code := run(eventually.Context(t), []string{"init", language}, &out, &errOut); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	return out.String()
}

// recipe is a key that builds a module.
var recipe = regexp.MustCompile(`(?:motoko|rust): \{.*/?(bank|vault)\b.*\}`)

// useModules puts compiled modules into the place of what would be compiled.
func useModules(t *testing.T, modules string) {
	t.Helper()
	text := recipe.ReplaceAllString(mustRead(t, project.File), "wasm: $1.wasm.gz")
	if strings.Count(text, ".wasm.gz") != 2 {
		t.Fatalf("the recipes are not found in %s", text)
	}
	writeFile(t, project.File, text)
	for _, name := range []string{"bank.wasm.gz", "vault.wasm.gz"} {
		writeFile(t, name, mustRead(t, filepath.Join(modules, name)))
	}
}

// The tests of the project in Go run as those of the package template/go, those in JavaScript and Rust in make test-clients.
func TestTheExplorationOfANewProjectPasses(t *testing.T) {
	modules := mustAbs(t, "internal/template/go/modules")
	homeWith(t, "counter")
	d := serving(t, daemon.Control{})
	initHere(t, "motoko")
	useModules(t, modules)
	t.Setenv("CANISTERD_URL", d.URL())
	for _, args := range [][]string{{"deploy"}, {"explore", "--json"}} {
		var out, errOut bytes.Buffer
		if code := run(eventually.Context(t), args, &out, &errOut); code != exitOK {
			t.Fatalf("canisterd %v: exit code %d: %s%s", args, code, &out, &errOut)
		}
	}
}

// Compiling it needs the target for WebAssembly: make test-clients does so.
func TestTheInterfacesOfANewProjectInRustAreThoseOfItsSources(t *testing.T) {
	modules := mustAbs(t, "internal/template/go/modules")
	initHere(t, "rust")
	useModules(t, modules)
	p, err := project.Read(".", project.Inside)
	if err != nil {
		t.Fatal(err)
	}
	for name, methods := range map[string]string{"bank": "balance deposit withdraw", "vault": "paid_out transfer"} {
		file, err := p.Interface(name)
		if err != nil || strings.Join(methodNames(file), " ") != methods {
			t.Errorf("the interface of the %s is %v (%v)", name, file, err)
		}
		text := mustRead(t, filepath.Join(name, "src", "lib.rs"))
		for method := range strings.FieldsSeq(methods) {
			if !strings.Contains(text, "fn "+method+"(") {
				t.Errorf("the %s has no function %s", name, method)
			}
		}
	}
}

func TestTheActionInstallsARelease(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.3-rc.1": "", "v0.0.0-20260101000000-abcdefabcdef+dirty": "", "development": ""} {
		if got, is := release(version); is != (want != "") || is && got != want {
			t.Errorf("%s: %s (%t)", version, got, is)
		}
	}
}
