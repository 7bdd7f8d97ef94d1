//go:build rustclient

package e2e

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
	fixtures, err := filepath.Abs(filepath.Dir(fixture("counter")))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cargo", "run", "--quiet", "--locked", "--manifest-path", "pocketic/rust/Cargo.toml")
	cmd.Env = append(os.Environ(), "POCKET_IC_BIN="+pocketIC(t, "pocket-ic"), "POCKET_IC_MUTE_SERVER=1", "TMPDIR="+t.TempDir(),
		"CANISTERD_FIXTURES="+fixtures, "CANISTERD_FETCHER="+assembled(t, fetcher), "CANISTERD_GZIP="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the client's program: %v\n%s", err, out)
	}
	if got := strings.Count(string(out), ": passed\n"); got != 7 {
		t.Errorf("%d of 7 parts ran:\n%s", got, out)
	}
}
