//go:build unix

package deployed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNamesOfCanistersAreKeptInTheFolderItself(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	s := &Store{Networks: []storedNetwork{{ID: "n", Canisters: map[string]storedCanister{"a": {ID: "aaaaa-aa"}}}}}
	if err := s.Write(elsewhere); err != nil {
		t.Fatal(err)
	}
	if ignored := mustRead(t, filepath.Join(elsewhere, ".canisterd", ".gitignore")); ignored != "*\n" {
		t.Errorf("git ignores %q", ignored)
	}
	if err := os.Symlink(filepath.Join(elsewhere, ".canisterd"), filepath.Join(here, ".canisterd")); err != nil {
		t.Fatal(err)
	}
	const want = ".canisterd is a symbolic link: remove it"
	if _, err := Read(here); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("reading: %v", err)
	}
	if err := s.Write(here); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("writing: %v", err)
	}
}
