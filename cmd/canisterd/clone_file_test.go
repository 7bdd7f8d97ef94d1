package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestACanisterIsClonedOutOfAJournalAsItWasAtItsEnd(t *testing.T) {
	const id = "2ouva-viaaa-aaaaq-aaamq-cai"
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	invoke := func(args ...string) string {
		t.Helper()
		var out, notes bytes.Buffer
		if code := run(t.Context(), append([]string{"--url", d.URL()}, args...), &out, &notes); code != exitOK {
			t.Fatalf("canisterd %s: exit code %d: %s%s", strings.Join(args, " "), code, &out, &notes)
		}
		return strings.TrimSpace(out.String())
	}
	writeFile(t, "ledger.wasm", string(canistertest.Fixture("ledger")))
	invoke("canister", "create", "--id", id, "--add-subnet", "--env", "API_KEY=hidden")
	invoke("canister", "install", id, "ledger.wasm")
	invoke("canister", "call", id, "record", `(7, "in the journal")`)
	invoke("instance", "export", "--journal", "bug.journal")
	before, err := os.ReadFile("bug.journal")
	if err != nil {
		t.Fatal(err)
	}
	invoke("canister", "call", id, "record", `(9, "later")`)
	invoke("instance", "create", "copy")
	if got := invoke("clone", id, "--from", "./bug.journal", "--into", "copy", "--json"); !strings.Contains(got, `"environment_variables":["API_KEY"]`) {
		t.Errorf("the clone is %s", got)
	}
	if got := invoke("-i", "copy", "canister", "query", id, "total"); got != "(7 : nat)" {
		t.Errorf("the clone has the total %s", got)
	}
	if after, err := os.ReadFile("bug.journal"); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the journal is not as before: %v", err)
	}
}
