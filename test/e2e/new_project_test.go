//go:build newproject

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newProject is a folder that canisterd init has written, with the environment of the user.
type newProject struct {
	folder string
	env    []string
}

// initialize runs canisterd init. canisterd is on the PATH, after the folders given.
func initialize(t *testing.T, language string, path ...string) *newProject {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	path = append(path, filepath.Dir(binary), os.Getenv("PATH"))
	p := &newProject{t.TempDir(), append(os.Environ(), "PATH="+strings.Join(path, string(filepath.ListSeparator)))}
	p.run(t, binary, "init", language)
	return p
}

// run runs a program of the user's PATH in the folder, which must succeed, and returns what it prints.
func (p *newProject) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command("env", append([]string{name}, args...)...) // env looks for it in the PATH of the environment
	cmd.Dir, cmd.Env = p.folder, p.env
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
	}
	return string(printed)
}

// The module of the repository stands for its release.
func TestANewProjectInGoPassesItsTests(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	p := initialize(t, "go")
	p.run(t, "go", "mod", "edit", "-replace", "github.com/canisterd/canisterd="+root)
	p.run(t, "go", "mod", "tidy")
	if printed := p.run(t, "go", "test", "-v", "./..."); strings.Count(printed, "--- PASS: Test") != 2 {
		t.Errorf("the tests print\n%s", printed)
	}
}

// debianRusts are the folders that may have the packages rustc-web and rust-web-src of Debian, with std for other targets as
// sources: where test/canistertest/fixtures/rust.sh unpacks them, and where apt installs them unless Debian's own rustc is
// installed, with which they conflict.
var debianRusts = []string{"../../bin/tools/rust-web-1.96/usr", "/usr"}

// debianRust returns the first of them that has the sources of std, or an empty string.
func debianRust(t *testing.T) string {
	t.Helper()
	for _, folder := range debianRusts {
		folder, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(folder, "lib/rustlib/src/rust/library/std/Cargo.toml")); err == nil {
			return folder
		}
	}
	return ""
}

// cargoForWasm returns a folder with a program cargo that can compile for WebAssembly. rustup has the target. Without it, the
// program makes cargo compile std from Debian's sources. It does not go through rustup, which would install what the file
// rust-toolchain.toml names.
func cargoForWasm(t *testing.T) string {
	t.Helper()
	printed, err := exec.Command("rustc", "--print", "sysroot").Output()
	if err != nil {
		t.Fatal(err)
	}
	sysroot := strings.TrimSpace(string(printed))
	if _, err := os.Stat(filepath.Join(sysroot, "lib/rustlib/wasm32-unknown-unknown")); err == nil {
		return filepath.Join(sysroot, "bin")
	}
	debian := debianRust(t)
	if debian == "" {
		t.Fatal("there is no target for WebAssembly: run rustup target add wasm32-unknown-unknown, or install the packages rustc-web and rust-web-src of Debian (make check-fixtures unpacks them)")
	}
	libraries, err := filepath.Glob(debian + "/lib/*-linux-gnu")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := fmt.Sprintf(`#!/bin/sh
case "$*" in *wasm32-unknown-unknown*)
  export RUSTC=%[1]s/bin/rustc LD_LIBRARY_PATH=%[3]s RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
esac
PATH=%[2]s/bin:$PATH exec %[2]s/bin/cargo "$@"
`, debian, sysroot, strings.Join(libraries, ":"))
	if err := os.WriteFile(filepath.Join(folder, "cargo"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// What was compiled the last time is not compiled again.
func TestANewProjectInRustPassesItsTestAndItsExploration(t *testing.T) {
	built, err := filepath.Abs("../../bin/rust-project")
	if err != nil {
		t.Fatal(err)
	}
	p := initialize(t, "rust", cargoForWasm(t))
	p.env = append(p.env, "CARGO_TARGET_DIR="+built)
	if printed := p.run(t, "canisterd", "exec", "--deploy", ".", "--", "cargo", "test"); !strings.Contains(printed, "test what_is_deposited_can_be_withdrawn_once ... ok") {
		t.Errorf("the test prints\n%s", printed)
	}
	if printed := p.run(t, "canisterd", "exec", "--deploy", ".", "--", "canisterd", "explore"); !strings.Contains(printed, "no violation") {
		t.Errorf("the exploration prints\n%s", printed)
	}
}
