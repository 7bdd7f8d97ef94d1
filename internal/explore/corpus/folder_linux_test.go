package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderToWhichNoFileCanBeAddedIsRefusedWhenItIsOpened(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "corpus")
	if err := os.Mkdir(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // permissions do not limit the superuser, and this file system has no new files
		folder = "/proc/self"
	}
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), "the folder of the corpus is not writable") {
		t.Errorf("the error is %v", err)
	}
	if f := open(t); len(filesIn(t, f.path)) > 0 {
		t.Errorf("an opened folder has %v", filesIn(t, f.path))
	}
}
