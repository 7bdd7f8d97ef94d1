//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderForCompiledModulesThatOthersCanWriteIsRefused(t *testing.T) {
	dir := t.TempDir()
	for mode, good := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o775: false, 0o777: false, 0o1777: false} {
		if err := os.Chmod(dir, mode&0o777|(mode&0o1000)<<11); err != nil {
			t.Fatal(err)
		}
		_, err := Config{CacheDir: dir}.withDefaults()
		if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "can be written by other users") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	made := filepath.Join(dir, "new", "cache")
	if _, err := (Config{CacheDir: made}).withDefaults(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v (%v)", info, err)
	}
}

func TestAFolderForStateThatOthersCanOpenIsRefused(t *testing.T) {
	dir := t.TempDir()
	for mode, good := range map[os.FileMode]bool{0o700: true, 0o755: false, 0o750: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := MakeStateDir(dir); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "is open to other users") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	made := filepath.Join(dir, "new", "state")
	if err := MakeStateDir(made); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v (%v)", info, err)
	}
}

func TestADaemonStartsWithoutAFolderForCompiledModules(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", "/dev/null/missing")
	d, err := Start(t.Context(), Config{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
