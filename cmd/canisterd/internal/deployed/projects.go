package deployed

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/regular"
)

// Limits of the record of projects in the user's data folder. The most recently deployed stay.
const (
	maxProjects     = 100
	maxProjectsPath = 4096 // bytes
)

// projectID is the form of ids of projects, which name files in the user's data folder.
var projectID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// identify gives a store an id unless it has one. The folder of an earlier version is dropped: the file may be copied to
// other machines.
func (s *Store) identify() {
	s.Folder = ""
	if !projectID.MatchString(s.Project) {
		id := make([]byte, 16)
		_, _ = rand.Read(id) // it never fails
		s.Project = hex.EncodeToString(id)
	}
}

// recordsOfProjects returns the folder that has a file for each project of this user: its name is the project's id, its
// content the project's folder.
func recordsOfProjects() (string, error) {
	data, err := daemon.DataDir()
	return filepath.Join(data, "projects"), err
}

// recordFolder records where a project is. Users without a data folder have no records, and deploy nevertheless.
func (s *Store) recordFolder(folder string) {
	records, err := recordsOfProjects()
	if err != nil {
		return
	}
	here, err := filepath.Abs(folder)
	if err != nil || os.MkdirAll(records, 0o700) != nil {
		return
	}
	if os.WriteFile(filepath.Join(records, s.Project), []byte(here+"\n"), 0o600) != nil {
		return
	}
	for _, old := range recorded(records)[:max(0, len(recorded(records))-maxProjects)] {
		_ = os.Remove(filepath.Join(records, old)) // another deploy may have removed it
	}
}

// recorded returns the ids of the recorded projects, the most recently deployed at the end.
func recorded(records string) (ids []string) {
	entries, err := os.ReadDir(records)
	if err != nil {
		return nil
	}
	deployed := map[string]time.Time{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && projectID.MatchString(e.Name()) {
			deployed[e.Name()] = info.ModTime()
			ids = append(ids, e.Name())
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(deployed[a].Compare(deployed[b]), strings.Compare(a, b))
	})
	return ids
}

// folderOf returns the folder in which a project was last, "" if that is not known.
func folderOf(id string) string {
	records, err := recordsOfProjects()
	if err != nil || !projectID.MatchString(id) {
		return ""
	}
	text, err := regular.Read(filepath.Join(records, id), maxProjectsPath)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// RecentFolders returns the folders of the recorded projects, the most recently deployed first.
func RecentFolders() (folders []string) {
	records, err := recordsOfProjects()
	if err != nil {
		return nil
	}
	ids := recorded(records)
	slices.Reverse(ids)
	for _, id := range ids[:min(len(ids), maxProjects)] {
		if folder := folderOf(id); folder != "" {
			folders = append(folders, folder)
		}
	}
	return folders
}

// TakeFolder makes the ids those of a folder. It rejects ids that the folder shares with the folder it is a copy of: both
// would write to the same canisters.
func (s *Store) TakeFolder(folder string, n Network, ids map[string]string) error {
	found := cmp.Or(s.Folder, folderOf(s.Project))
	if found == "" || sameFolder(found, folder) {
		return nil
	}
	original, err := Read(found)
	if err != nil {
		return err
	}
	theirs := original.Live(n)
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if theirs[name] == ids[name] {
			return fmt.Errorf("canister %s: the id %s belongs to the project in %s, of which this directory is a copy: remove %s here, and the next deploy creates new canisters", name, ids[name], found, filepath.Join(folder, File))
		}
	}
	if original.Project == s.Project { // both stay
		s.Project = ""
	}
	return nil
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	found, err := os.Stat(a)
	if err != nil {
		return false
	}
	here, err := os.Stat(b)
	return err == nil && os.SameFile(found, here)
}
