//go:build unix

package modulecache

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// cacheOf is the cache folder for a home and a temporary folder, with what is said of it.
func cacheOf(t *testing.T, home, temporary string) (dir, said string) {
	t.Helper()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", temporary)
	var text bytes.Buffer
	return Default(slog.New(slog.NewTextHandler(&text, nil))), text.String()
}

func TestCompiledModulesAreKeptWhereOnlyThisUserCanWrite(t *testing.T) {
	own := "canisterd-" + strconv.Itoa(os.Getuid())
	home := t.TempDir()
	if dir, said := cacheOf(t, home, t.TempDir()); dir != filepath.Join(home, ".cache", "canisterd", "modules") || said != "" {
		t.Errorf("with a home: %q, %s", dir, said)
	}
	notFolder := filepath.Join(home, "file")
	if err := os.WriteFile(notFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", notFolder} {
		temporary := t.TempDir()
		dir, said := cacheOf(t, bad, temporary)
		if dir != filepath.Join(temporary, own, "modules") || !strings.Contains(said, "the home cannot be used") {
			t.Errorf("with the home %q: %q, %s", bad, dir, said)
		}
		if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder is %v (%v)", info, err)
		}
	}
	for how, prepare := range map[string]func(path string) error{
		"is not a directory but L": func(path string) error { return os.Symlink(home, path) },
		"can be written by other users (mode 0777), but what is there is run": func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chmod(path, 0o777)
		},
		"belongs to another user, who could write what is run from there": func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		},
	} {
		temporary := t.TempDir()
		if err := prepare(filepath.Join(temporary, own)); err != nil {
			if os.Geteuid() != 0 {
				continue // only root gives folders away
			}
			t.Fatal(err)
		}
		if dir, said := cacheOf(t, "", temporary); dir != "" || !strings.Contains(said, how) || !strings.Contains(said, "--cache-dir") {
			t.Errorf("%s: kept in %q, %s", how, dir, said)
		}
	}
}
