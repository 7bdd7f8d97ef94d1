//go:build clients && linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Both write the same directory, and each makes a snapshot of the other's.
func TestSnapshotsPassBetweenICPCLIAndTheCommandLine(t *testing.T) {
	d := start(t)
	p := newICPProject(t, "")
	at := " --network " + d.url + " --root-key fetch --identity anonymous"
	ledger := d.command(t, "canister", "create")
	d.command(t, "canister", "install", ledger, fixture("ledger"))
	d.command(t, "canister", "call", ledger, "record", `(7, "before")`)
	id := d.command(t, "canister", "snapshot", "take", ledger)
	theirs, ours := filepath.Join(t.TempDir(), "theirs"), filepath.Join(t.TempDir(), "ours")
	p.expect(t, "canister snapshot download "+ledger+" "+id+" -o "+theirs+at, "Snapshot downloaded")
	d.command(t, "canister", "snapshot", "download", ledger, id, ours)
	for _, name := range []string{"metadata.json", "wasm_module.bin", "wasm_memory.bin", "stable_memory.bin"} {
		their, err := os.ReadFile(filepath.Join(theirs, name))
		if err != nil {
			t.Fatal(err)
		}
		if our, err := os.ReadFile(filepath.Join(ours, name)); err != nil || !bytes.Equal(bytes.TrimSpace(our), bytes.TrimSpace(their)) {
			t.Errorf("%s differs: %d bytes are ours, %d theirs (%v)", name, len(our), len(their), err)
		}
	}

	one, two := d.command(t, "canister", "create"), d.command(t, "canister", "create")
	d.command(t, "canister", "snapshot", "load", one, d.command(t, "canister", "snapshot", "upload", one, theirs))
	p.expect(t, "canister snapshot upload "+two+" -i "+ours+at, "uploaded successfully")
	d.command(t, "canister", "snapshot", "load", two, d.command(t, "canister", "snapshot", "list", two, "--jq", ".[].id"))
	for _, canister := range []string{one, two} {
		if total := d.command(t, "canister", "query", canister, "total"); total != "(7 : nat)" {
			t.Errorf("the total is %s", total)
		}
	}
}
