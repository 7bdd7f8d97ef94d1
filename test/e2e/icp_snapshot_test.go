//go:build clients && linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
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
	// A directory of icp-cli is a source of clones, and the cache of clones is a directory for icp-cli.
	d.command(t, "instance", "create", "lab")
	d.command(t, "clone", ledger, "--from", theirs, "--into", "lab")
	if total := d.command(t, "-i", "lab", "canister", "query", ledger, "total"); total != "(7 : nat)" {
		t.Errorf("the total of the clone is %s", total)
	}
	d.command(t, "instance", "create", "other")
	clone := exec.Command(d.binary, "--url", d.url, "clone", ledger, "--from", d.url, "--snapshot", id, "--into", "other", "--jq", ".[].folder")
	clone.Dir = t.TempDir()
	folder, err := clone.Output()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(clone.Dir, string(bytes.TrimSpace(folder)))
	three := d.command(t, "canister", "create")
	p.expect(t, "canister snapshot upload "+three+" -i "+kept+at, "uploaded successfully")
	d.command(t, "canister", "snapshot", "load", three, d.command(t, "canister", "snapshot", "list", three, "--jq", ".[].id"))
	for _, canister := range []string{one, two, three} {
		if total := d.command(t, "canister", "query", canister, "total"); total != "(7 : nat)" {
			t.Errorf("the total is %s", total)
		}
	}
}
