//go:build unix

package build

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/project"
)

// projectOf returns the project of a new folder with a file canisterd.yaml and others. Programs are looked for in its
// folder bin alone.
func projectOf(t *testing.T, yaml string, files map[string]string) *project.Project {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(folder, name), content)
	}
	writeFile(t, filepath.Join(folder, project.File), yaml)
	t.Setenv("PATH", filepath.Join(folder, "bin"))
	p, err := project.Read(folder, project.Inside)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, p *project.Project, name string) string {
	t.Helper()
	content, err := os.ReadFile(p.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// compiler writes its arguments, one in a line, into the file after -o.
const compiler = `#!/bin/sh
for arg; do
  [ "$last" = -o ] && out=$arg
  last=$arg
done
printf '%s\n' "$@" >"$out"
`

func TestACommandIsRunByTheShellInTheDirectoryOfTheProject(t *testing.T) {
	path := os.Getenv("PATH")
	p := projectOf(t, "canisters: {a: {wasm: out/a.wasm, build: 'mkdir out && echo made; echo module >out/a.wasm'}}", nil)
	t.Setenv("PATH", path)
	var output bytes.Buffer
	if err := Run(t.Context(), p, "a", &output); err != nil || output.String() != "made\n" || readFile(t, p, "out/a.wasm") != "module\n" {
		t.Errorf("%v, it printed %q", err, &output)
	}
}

func TestAFailedBuildSaysWhatFailed(t *testing.T) {
	path := os.Getenv("PATH")
	for yaml, want := range map[string]string{
		"{wasm: a.wasm, build: 'exit 3'}":                   "build: exit 3: exit status 3",
		"{wasm: a.wasm, build: \"true\"}":                   "the build makes no a.wasm: set wasm: to the module that it makes",
		"{wasm: a.wasm, build: \"false\\ntrue && exit 4\"}": "build: false …: exit status 4",
	} {
		p := projectOf(t, "canisters: {a: "+yaml+"}", nil)
		t.Setenv("PATH", path)
		if err := Run(t.Context(), p, "a", os.Stderr); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}

func TestABuildDoesNotWaitForAProgramThatItLeavesBehind(t *testing.T) {
	path := os.Getenv("PATH")
	p := projectOf(t, "canisters: {a: {wasm: a.wasm, build: 'mkfifo pipe; echo module >a.wasm; cat pipe & :'}}", nil)
	t.Setenv("PATH", path)
	if err := Run(t.Context(), p, "a", new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
	writeFile(t, p.Path("pipe"), "") // ends the program
}

func TestABuildEndsWithItsContextAndSoDoWhatItHasStarted(t *testing.T) {
	path := os.Getenv("PATH")
	p := projectOf(t, "canisters: {a: {wasm: a.wasm, build: 'mkfifo pipe; cat pipe & echo $! >pid; wait'}}", nil)
	t.Setenv("PATH", path)
	ctx, cancel := context.WithCancel(eventually.Context(t))
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, p, "a", os.Stderr) }()
	var pid string
	eventually.True(t, "the program has started", func() bool {
		content, _ := os.ReadFile(p.Path("pid"))
		pid = strings.TrimSpace(string(content))
		return pid != ""
	})
	cancel()
	if err := eventually.Receive(t, "the end of the build", ended); err != context.Canceled {
		t.Errorf("it ended with %v", err)
	}
	eventually.True(t, "the program in the background has ended", func() bool { return exec.Command("kill", "-0", pid).Run() != nil })
}

func TestTheRecipeForMotokoCallsTheCompilerOfThePath(t *testing.T) {
	p := projectOf(t, "canisters: {bank: {motoko: {main: src/bank.mo, args: [-O]}}}", map[string]string{
		"bin/moc": compiler, "bin/mops": "#!/bin/sh\necho '--package core .mops/core@1.0.0/a b'\n", "mops.toml": "",
	})
	if err := Run(t.Context(), p, "bank", os.Stderr); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"-c", "--idl", "--map", "-o", ".canisterd/build/bank.wasm", "--public-metadata", "candid:service", "--public-metadata", "candid:args",
		"--package", "core", ".mops/core@1.0.0/a b", "-O", "src/bank.mo",
	}
	if got := strings.Split(strings.TrimSpace(readFile(t, p, ".canisterd/build/bank.wasm")), "\n"); !slices.Equal(got, want) {
		t.Errorf("moc was called with %q, want %q", got, want)
	}
	if sources, err := Sources(t.Context(), p, "bank"); err != nil || !slices.Equal(sources, []string{"src", "mops.toml"}) {
		t.Errorf("the sources are %q (%v)", sources, err)
	}
}

// metadataOf is what cargo metadata prints of a workspace in which bank needs shared by path.
const metadataOf = `#!/bin/sh
if [ "$1" = metadata ]; then
  printf '{"workspace_root":"%s","target_directory":"%s/target","packages":[' "$PWD" "$PWD"
  printf '{"name":"bank","manifest_path":"%s/crates/bank/Cargo.toml","dependencies":[{"path":"%s/crates/shared"},{}],"targets":[{"name":"the-bank","kind":["cdylib","rlib"]}]},' "$PWD" "$PWD"
  printf '{"name":"shared","manifest_path":"%s/crates/shared/Cargo.toml","dependencies":[],"targets":[{"name":"shared","kind":["lib"]}]},' "$PWD"
  printf '{"name":"tool","manifest_path":"%s/tool/Cargo.toml","dependencies":[],"targets":[{"name":"tool","kind":["bin"]}]}]}' "$PWD"
else
  echo "$@" >"$PWD/target/wasm32-unknown-unknown/release/the_bank.wasm"
fi
`

func TestTheRecipeForRustCopiesTheModuleThatCargoMakes(t *testing.T) {
	p := projectOf(t, "canisters: {bank: {rust: {package: bank}}, lib: {rust: {package: shared}}, none: {rust: {package: vault}}}", map[string]string{
		"bin/cargo": metadataOf, "target/wasm32-unknown-unknown/release/tool.wasm": "a program",
	})
	if err := Run(t.Context(), p, "bank", os.Stderr); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, p, ".canisterd/build/bank.wasm"), "build --quiet --release --target wasm32-unknown-unknown --package bank\n"; got != want {
		t.Errorf("cargo was called with %q, want %q", got, want)
	}
	if sources, err := Sources(t.Context(), p, "bank"); err != nil || !slices.Equal(sources, []string{"crates/bank", "crates/shared", "Cargo.toml", "Cargo.lock"}) {
		t.Errorf("the sources are %q (%v)", sources, err)
	}
	for name, want := range map[string]string{
		"lib":  `rust: the package shared makes no module: set crate-type = ["cdylib"] under [lib] in its Cargo.toml`,
		"none": "rust: there is no package vault in the workspace ",
	} {
		if err := Run(t.Context(), p, name, os.Stderr); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestAMissingProgramIsNamedWithHowToInstallIt(t *testing.T) {
	for _, row := range []struct {
		yaml  string
		files map[string]string
		want  string
	}{
		{"motoko: {main: a.mo}", nil, "motoko: a compiler (moc, or the npm package motoko) is not found: install it with npm install --save-dev motoko"},
		{"motoko: {main: a.mo}", map[string]string{"mops.toml": ""}, "motoko: mops.toml names packages: mops is not found: install it with npm install --save-dev ic-mops"},
		{"motoko: {main: a.mo}", map[string]string{"node_modules/motoko/package.json": "{}"}, "motoko: the npm package motoko needs node: node is not found: install it with "},
		{"rust: {package: a}", nil, "rust: cargo is not found: install it with rustup (https://rustup.rs), then rustup target add wasm32-unknown-unknown"},
	} {
		p := projectOf(t, "canisters: {a: {"+row.yaml+"}}", row.files)
		if err := Run(t.Context(), p, "a", os.Stderr); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s with %v: %v, want %q", row.yaml, row.files, err, row.want)
		}
	}
}
