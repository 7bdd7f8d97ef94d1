package template

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryFileOfATemplateIsWritten(t *testing.T) {
	var here, listed []string
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			here = append(here, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range All {
		for _, f := range p.files {
			listed = append(listed, f.from)
		}
	}
	slices.Sort(here)
	slices.Sort(listed)
	if !slices.Equal(here, listed) {
		t.Errorf("the files are %v, and %v are listed", here, listed)
	}
}

func TestAProjectIsWrittenOnceAndOverwritesNothing(t *testing.T) {
	for _, p := range All {
		folder := filepath.Join(t.TempDir(), "new", p.Language)
		names, err := p.Write(folder, "1.2.3")
		if err != nil || len(names) != len(p.files) {
			t.Fatalf("%s: %v (%v)", p.Language, names, err)
		}
		text, err := os.ReadFile(filepath.Join(folder, ".github/workflows/test.yml"))
		if err != nil || strings.Contains(string(text), versionMark) || p.Language != "go" && !strings.Contains(string(text), "version: 1.2.3\n") {
			t.Errorf("%s: the workflow is %s (%v)", p.Language, text, err)
		}
		if err := os.Remove(filepath.Join(folder, "canisterd.yaml")); err != nil {
			t.Fatal(err)
		}
		_, err = p.Write(folder, "1.2.3")
		if exists, is := errors.AsType[*ExistsError](err); !is || slices.Contains(exists.Files, "canisterd.yaml") || len(exists.Files) == 0 {
			t.Errorf("%s: written again: %v", p.Language, err)
		}
		if _, err := os.Stat(filepath.Join(folder, "canisterd.yaml")); err == nil {
			t.Errorf("%s: one of the files was written although others exist", p.Language)
		}
	}
	if Named("cobol") != nil || len(Languages()) != len(All) {
		t.Errorf("the languages are %v", Languages())
	}
}

func TestAProjectAddsWhatPackageJSONAndGitignoreLack(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		".gitignore":   "dist/\nnode_modules/",
		"package.json": `{"name": "shop", "scripts": {"test": "vitest"}, "devDependencies": {"canisterd": "file:canisterd-1.2.3.tgz"}, "version": "2.0.0"}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Named("motoko").Write(folder, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		".gitignore": "dist/\nnode_modules/\n",
		"package.json": `{
  "name": "shop",
  "scripts": {
    "test": "vitest",
    "dev": "canisterd dev",
    "explore": "canisterd exec --deploy . -- canisterd explore"
  },
  "devDependencies": {
    "canisterd": "file:canisterd-1.2.3.tgz",
    "motoko": "4.10.0"
  },
  "version": "2.0.0",
  "private": true,
  "type": "module"
}
`,
	} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != want {
			t.Errorf("%s is\n%s\nwant\n%s (%v)", name, got, want, err)
		}
	}
}

func TestAPackageJSONThatCannotBeReadStaysAsItIs(t *testing.T) {
	for _, text := range []string{"", "[]", `{"scripts": 5}`, `{"name"`} {
		folder := t.TempDir()
		name := filepath.Join(folder, "package.json")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Named("motoko").Write(folder, "1.2.3")
		if err == nil || !strings.Contains(err.Error(), "package.json") {
			t.Errorf("%q: %v", text, err)
		}
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 1 {
			t.Errorf("%q: %d files were written (%v)", text, len(entries)-1, err)
		}
	}
}
