//go:build rustclient

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const rustProgram = "pocketic/rust/Cargo.toml"

// cargo runs a command of cargo for a program, and gives what it prints.
func cargo(t *testing.T, program string, env []string, arguments ...string) []byte {
	t.Helper()
	built, err := filepath.Abs("../../bin/rust-clients")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cargo", append([]string{arguments[0], "--locked", "--manifest-path", program}, arguments[1:]...)...)
	cmd.Env = append(append(os.Environ(), "CARGO_TARGET_DIR="+built), env...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cargo %s: %v\n%s%s", strings.Join(arguments, " "), err, out, errors.Bytes())
	}
	return out
}

// rustClient is the environment of the program, with what the line for a tool sets.
func rustClient(t *testing.T, tool string) []string {
	t.Helper()
	fixtures, err := filepath.Abs(filepath.Dir(fixture("counter")))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples/doublewithdraw")
	if err != nil {
		t.Fatal(err)
	}
	return append(paste(t, tool, ""), "POCKET_IC_MUTE_SERVER=1", "TMPDIR="+t.TempDir(), "CANISTERD_FIXTURES="+fixtures, "CANISTERD_EXAMPLES="+examples)
}

// The parts forks and explorations have what docs/pocketic.md shows in Rust.
func TestTheRustSnippetsOfThePageRun(t *testing.T) {
	for _, part := range []string{"forks", "explorations"} {
		out := cargo(t, rustProgram, rustClient(t, "Rust crate `pocket-ic` 16"), "run", "--quiet", "--features", "newest", "--", part)
		if !bytes.HasSuffix(out, []byte(part+": passed\n")) {
			t.Errorf("the program prints %q", out)
		}
	}
}

func TestTheRustClientOfPocketICWorksUnmodified(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte{7}, 70_000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stable.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, client := range []struct {
		feature, version, tool string
		parts                  int
	}{{"newest", "16.1.0", "Rust crate `pocket-ic` 16", 13}, {"previous", "13.0.0", "Rust crate `pocket-ic`, another major version", 12}} {
		t.Run(client.feature, func(t *testing.T) {
			env := append(rustClient(t, client.tool), "CANISTERD_FETCHER="+assembled(t, fetcher), "CANISTERD_GZIP="+file)
			out := cargo(t, rustProgram, env, "run", "--quiet", "--features", client.feature)
			if got := strings.Count(string(out), ": passed\n"); got != client.parts {
				t.Errorf("%d of %d parts ran:\n%s", got, client.parts, out)
			}
			checkMethods(t, "Rust "+client.version, rustMethods(t, client.version))
		})
	}
}

// uncalled are functions of the crate that the program does not call itself.
var uncalled = map[string]string{
	"serialize": "fields of bytes call it", "deserialize": "fields of bytes call it", "from_response": "every request calls it",
}

// rustMethods are the functions that a version of the crate has, all of which the program must call. The methods that
// wait call those of the same names that do not.
func rustMethods(t *testing.T, version string) map[string]string {
	t.Helper()
	var metadata struct {
		Packages []struct {
			Name, Version string
			ManifestPath  string `json:"manifest_path"`
		}
	}
	if err := json.Unmarshal(cargo(t, rustProgram, nil, "metadata", "--format-version", "1", "--all-features"), &metadata); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("pocketic/rust/src/main.rs")
	if err != nil {
		t.Fatal(err)
	}
	methods := make(map[string]string)
	for _, p := range metadata.Packages {
		if p.Name != "pocket-ic" || p.Version != version {
			continue
		}
		var source []byte
		for _, file := range []string{"lib.rs", "nonblocking.rs", "common/rest.rs"} {
			part, err := os.ReadFile(filepath.Join(filepath.Dir(p.ManifestPath), "src", file))
			if err != nil {
				t.Fatal(err)
			}
			source = append(source, part...)
		}
		for _, found := range regexp.MustCompile(`(?m)^\s*pub (?:async )?fn (\w+)`).FindAllSubmatch(source, -1) {
			name := string(found[1])
			called := regexp.MustCompile(`\b` + name + `(::<[^;]*>)?\(`).Match(program)
			if !called && uncalled[name] == "" {
				t.Errorf("the program does not call %s of the crate %s", name, version)
			}
			if methods[name] = "called"; !called {
				methods[name] = uncalled[name]
			}
		}
	}
	if len(methods) == 0 {
		t.Errorf("the crate pocket-ic %s has no functions", version)
	}
	return methods
}
