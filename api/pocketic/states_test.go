package pocketic

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestASaveRemovesWhatKilledServersHaveLeft(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{
		"instance.canisterd-1": 2 * leftoverAge, "instance.canisterd-2": leftoverAge / 2, "instance.canisterd.bak": 2 * leftoverAge, "topology.json-1": 2 * leftoverAge,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("begun"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(filepath.Join(dir, stateFile), func(file *bufio.Writer) error { return file.WriteByte('x') }); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := []string{"instance.canisterd", "instance.canisterd-2", "instance.canisterd.bak", "topology.json-1"}; !slices.Equal(names, want) {
		t.Errorf("after a save the folder has %q, want %q", names, want)
	}
}
