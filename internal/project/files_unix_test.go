//go:build unix

package project

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stranger is a folder in which someone else's project is, beside a secret of the user's, and the path of both.
func stranger(t *testing.T) (folder, secret string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	secret = filepath.Join(home, "secret_key")
	writeFile(t, secret, "secret")
	folder = filepath.Join(home, "cloned", "app")
	if err := os.MkdirAll(filepath.Join(folder, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "inner", "terms.txt"), "(1)")
	writeFile(t, filepath.Join(folder, "..", "shared.txt"), "(2)")
	for link, to := range map[string]string{"link": secret, "near": "inner/terms.txt", "up": "../../secret_key", "folder": home, "zero": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, secret
}

func TestAProjectNamesFilesOfItsFolderOnlyUnlessItIsAllowed(t *testing.T) {
	folder, secret := stranger(t)
	for _, row := range []struct {
		name     string
		inside   string // error; "" for none
		anywhere string
	}{
		{"inner/terms.txt", "", ""},
		{"near", "", ""},
		{"inner/../inner/terms.txt", "", ""},
		{filepath.Join(folder, "inner", "terms.txt"), "", ""},
		{"link", "link is outside " + folder, ""},
		{"up", "is outside", ""},
		{"folder/secret_key", "is outside", ""},
		{"../../secret_key", "is outside", ""},
		{"../shared.txt", "is outside", ""},
		{secret, "is outside", ""},
		{"zero", "is outside", "is a device: it must be a regular file"},
		{"pipe", "is a named pipe: it must be a regular file", "is a named pipe"},
		{"inner", "is a directory", "is a directory"},
		{"missing", "no such file", "no such file"},
	} {
		for _, text := range []string{"canisters:\n  a: {wasm: a.wasm, init_file: " + row.name + "}\n", "canisters:\n  a: {wasm: " + row.name + "}\n"} {
			writeFile(t, filepath.Join(folder, File), text)
			for reach, want := range map[Reach]string{Inside: row.inside, Anywhere: row.anywhere} {
				p, err := Read(folder, reach)
				if err == nil && strings.Contains(text, "{wasm: "+row.name) {
					_, err = p.Module("a")
				}
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%q with reach %d: %v, want %q", text, reach, err, want)
				}
			}
		}
	}
}

func TestAProjectNamesFilesOfItsRepository(t *testing.T) {
	folder, _ := stranger(t)
	read := func(name string) error {
		writeFile(t, filepath.Join(folder, File), "canisters:\n  a: {wasm: a.wasm, init_file: "+name+"}\n")
		_, err := Read(folder, Inside)
		return err
	}
	makeRepository := func(at string) {
		if err := os.Mkdir(filepath.Join(at, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Where the home is a repository, it has secrets of the user.
	makeRepository(filepath.Dir(filepath.Dir(folder)))
	if err := read("../shared.txt"); err == nil {
		t.Error("a home that is a repository is taken for that of a project")
	}
	makeRepository(filepath.Dir(folder))
	if err := read("../shared.txt"); err != nil {
		t.Error(err)
	}
	if err := read("../../secret_key"); err == nil || !strings.Contains(err.Error(), "is outside "+filepath.Dir(folder)) || !strings.Contains(err.Error(), "--allow-outside") {
		t.Error(err)
	}
}

func TestModulesForUpgradesOfExplorationsAreInside(t *testing.T) {
	folder, _ := stranger(t)
	writeFile(t, filepath.Join(folder, File), "canisters:\n  a: {wasm: a.wasm}\nexplore:\n  upgrades: {a: ../../secret_key}\n")
	if _, err := Read(folder, Inside); err == nil || !strings.Contains(err.Error(), "explore: upgrades: a: ../../secret_key is outside") {
		t.Error(err)
	}
}
