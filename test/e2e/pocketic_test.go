//go:build clients && linux

package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
)

// pocketIC is the binary under a name of PocketIC's server, in a folder of its own.
func pocketIC(t *testing.T, name string) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(binary, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// coveredModule is a module whose coverage a suite is known to have.
type coveredModule struct {
	path     string
	ran, not []string // functions
}

// The modules that the suite of PocketIC's client installs. The bank's call of the vault is answered, and no call of it
// ever fails.
var (
	counterCovered = coveredModule{"../canistertest/fixtures/counter.wasm", []string{"inc", "add", "get"}, []string{"@cleanup_callback"}}
	bankCovered    = coveredModule{"../../examples/doublewithdraw/bank.wasm", []string{"open", "deposit", "withdraw", "@callback<u>"}, nil}
	vaultCovered   = coveredModule{"../../examples/doublewithdraw/vault.wasm", []string{"transfer", "paidOut"}, nil}
)

// checkCoverage joins what the servers of a suite ran, and checks which functions of modules did.
func checkCoverage(t *testing.T, dir string, modules []coveredModule) {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "lcov.info")
	if out, err := exec.Command(binary, "cover", dir, "--out", file).CombinedOutput(); err != nil {
		t.Fatalf("canisterd cover: %v\n%s", err, out)
	}
	lcov, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		module, err := os.ReadFile(m.path)
		if err != nil {
			t.Fatal(err)
		}
		_, record, found := strings.Cut(string(lcov), fmt.Sprintf("SF:module %.4x.wasm\n", sha256.Sum256(module)))
		if record, _, _ = strings.Cut(record, "end_of_record"); !found {
			t.Errorf("there is no coverage of %s:\n%.2000s", m.path, lcov)
		}
		for hit, functions := range map[int][]string{1: m.ran, 0: m.not} {
			for _, name := range functions {
				if line := fmt.Sprintf("\nFNDA:%d,%s\n", hit, name); !strings.Contains(record, line) {
					t.Errorf("the coverage of %s does not have the line %q:\n%s", m.path, line, record)
				}
			}
		}
	}
}

// Every method of the newest client and of the one before is used; the program itself fails
// where one is not.
func TestTheJavaScriptClientOfPocketICWorksUnmodified(t *testing.T) {
	for _, client := range []struct {
		tool, name, version string
		tests               int
		covered             []coveredModule
	}{
		{"`@dfinity/pic` from 0.23", "@dfinity/pic", "0.23.0", 14, []coveredModule{counterCovered, bankCovered, vaultCovered}},
		{"`@dfinity/pic` before 0.23", "pic-previous", "0.17.2", 9, []coveredModule{counterCovered}},
	} {
		t.Run(client.version, func(t *testing.T) {
			// Its folder here has another name, since the newest one is installed beside it.
			line := strings.ReplaceAll(pasted(t, client.tool), "/@dfinity/pic/", "/"+client.name+"/")
			cmd := exec.Command("sh", "-e", "-c", line+"\nexec node --test --test-reporter=spec pic.test.mjs")
			cmd.Dir = "pocketic"
			// Clients that have one parent and one folder share a server.
			cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "CANISTERD_PIC="+client.name, "CANISTERD_FETCHER="+assembled(t, fetcher))
			ran := t.TempDir()
			cmd.Env = append(append(cmd.Env, "CANISTERD_COVER="+ran), userHome(t)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("the client's tests: %v\n%s", err, out)
			}
			if !bytes.Contains(out, fmt.Appendf(nil, "pass %d\n", client.tests)) {
				t.Errorf("not all of the client's tests ran:\n%s", out)
			}
			checkMethods(t, "@dfinity/pic "+client.version, methodsIn(out))
			checkCoverage(t, ran, client.covered)
		})
	}
}

func TestAPocketICServerEndsByItsOptions(t *testing.T) {
	for _, c := range []struct {
		what      string
		arguments []string
		signal    os.Signal // nil: none
		code      int
		left      bool // the port file
	}{
		{"interrupted", nil, os.Interrupt, 0, false},
		{"told to end", nil, syscall.SIGTERM, 0, false},
		{"whose time is over", []string{"--hard-ttl", "1"}, nil, 124, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pocket_ic.port")
			cmd := exec.Command(pocketIC(t, "pocket-ic"), append([]string{"--port-file", file}, c.arguments...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually.True(t, "the port file has a line", func() bool {
				line, err := os.ReadFile(file)
				return err == nil && strings.HasSuffix(string(line), "\n")
			})
			if c.signal != nil {
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the exit code says it
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("the exit code is %d, want %d", code, c.code)
			}
			if _, err := os.Stat(file); (err == nil) != c.left {
				t.Errorf("the port file: %v", err)
			}
		})
	}
}
