//go:build clients && linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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

// Every method of the newest client and of the one before is used; the program itself fails
// where one is not.
func TestTheJavaScriptClientOfPocketICWorksUnmodified(t *testing.T) {
	for _, client := range []struct {
		tool, name, version string
		tests               int
	}{{"`@dfinity/pic` from 0.23", "@dfinity/pic", "0.23.0", 13}, {"`@dfinity/pic` before 0.23", "pic-previous", "0.17.2", 9}} {
		t.Run(client.version, func(t *testing.T) {
			// Its folder here has another name, since the newest one is installed beside it.
			line := strings.ReplaceAll(pasted(t, client.tool), "/@dfinity/pic/", "/"+client.name+"/")
			cmd := exec.Command("sh", "-e", "-c", line+"\nexec node --test --test-reporter=spec pic.test.mjs")
			cmd.Dir = "pocketic"
			// Clients that have one parent and one folder share a server.
			cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "CANISTERD_PIC="+client.name, "CANISTERD_FETCHER="+assembled(t, fetcher))
			cmd.Env = append(cmd.Env, userHome(t)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("the client's tests: %v\n%s", err, out)
			}
			if !bytes.Contains(out, fmt.Appendf(nil, "pass %d\n", client.tests)) {
				t.Errorf("not all of the client's tests ran:\n%s", out)
			}
			checkMethods(t, "@dfinity/pic "+client.version, methodsIn(out))
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
			for {
				if line, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(line), "\n") {
					break
				}
			}
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
