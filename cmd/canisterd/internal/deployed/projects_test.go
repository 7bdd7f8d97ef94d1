package deployed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

// stored makes a store with one canister and a folder with it.
func stored(t *testing.T, id string) (*Store, string) {
	t.Helper()
	folder := t.TempDir()
	s := &Store{Networks: []storedNetwork{{ID: "n", Canisters: map[string]storedCanister{"site": {ID: id}}}}}
	if err := s.Write(folder); err != nil {
		t.Fatal(err)
	}
	return s, folder
}

func TestTheFileOfNamesNamesNoFolder(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	_, folder := stored(t, "7tjcv-pp777-77776-qaaaa-cai")
	if text := mustRead(t, filepath.Join(folder, File)); strings.Contains(text, folder) || strings.Contains(text, `"folder"`) {
		t.Errorf("it has\n%s", text)
	}
	writeFile(t, filepath.Join(folder, File), fmt.Sprintf(`{"folder": %q, "networks": []}`, filepath.Dir(folder)))
	old, err := Read(folder)
	if err != nil || old.Write(folder) != nil {
		t.Fatal(err)
	}
	if text := mustRead(t, filepath.Join(folder, File)); strings.Contains(text, filepath.Dir(folder)) {
		t.Errorf("from a file of an earlier version came\n%s", text)
	}
}

func TestACopyOfAFolderIsFoundByTheIDOfItsProject(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	_, folder := stored(t, "7tjcv-pp777-77776-qaaaa-cai")
	beside := t.TempDir()
	writeFile(t, filepath.Join(beside, File), mustRead(t, filepath.Join(folder, File)))
	s, err := Read(beside)
	if err != nil {
		t.Fatal(err)
	}
	about := Network{ID: "n"}
	if err := s.TakeFolder(beside, about, s.Live(about)); err == nil || !strings.Contains(err.Error(), "the project in "+folder) {
		t.Errorf("a copy is taken for the original: %v", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := s.TakeFolder(beside, about, s.Live(about)); err != nil {
		t.Errorf("a folder that was moved is taken for a copy: %v", err)
	}
}

func TestProjectsAreRecordedInTheOrderOfTheirDeployments(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	_, first := stored(t, "7tjcv-pp777-77776-qaaaa-cai")
	for range maxProjects + 5 {
		stored(t, "7uieb-cx777-77776-qaaaq-cai")
	}
	if got := RecentFolders(); len(got) != maxProjects {
		t.Errorf("%d are recorded, want %d", len(got), maxProjects)
	}
	if slices.Contains(RecentFolders(), first) {
		t.Error("the oldest one stays")
	}
	for _, id := range []string{"", "../state", strings.Repeat("g", 32)} {
		if got := folderOf(id); got != "" {
			t.Errorf("the project %q is in %s", id, got)
		}
	}
	if _, err := daemon.DataDir(); err != nil {
		t.Fatal(err)
	}
}
