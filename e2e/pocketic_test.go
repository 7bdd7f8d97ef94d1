//go:build clients

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	for client, tests := range map[string]int{"@dfinity/pic": 11, "pic-previous": 9} {
		t.Run(client, func(t *testing.T) {
			binary := pocketIC(t, "pocket-ic")
			// The one before takes the binary of its own folder.
			bundled := filepath.Join("pocketic", "node_modules", client, "pocket-ic")
			if err := os.Remove(bundled); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := os.Symlink(binary, bundled); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("node", "--test", "--test-reporter=spec", "pic.test.mjs")
			cmd.Dir = "pocketic"
			// Clients that have one parent and one folder share a server.
			cmd.Env = append(os.Environ(), "POCKET_IC_BIN="+binary, "TMPDIR="+t.TempDir(), "CANISTERD_PIC="+client, "CANISTERD_FETCHER="+assembled(t, fetcher))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("the client's tests: %v\n%s", err, out)
			}
			if !bytes.Contains(out, fmt.Appendf(nil, "pass %d\n", tests)) {
				t.Errorf("not all of the client's tests ran:\n%s", out)
			}
		})
	}
}
