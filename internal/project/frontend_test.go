package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFrontEndHasTheFilesOfItsDirectory(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, File), "canisters: {a: {wasm: a.wasm, frontend: dist}, b: {wasm: a.wasm, frontend: missing}, c: {wasm: a.wasm, frontend: canisterd.yaml}, d: {wasm: a.wasm, frontend: out}}\n")
	outside := t.TempDir()
	for _, path := range []string{"dist/index.html", "dist/deep/er/app.js", "dist/.well-known/ic-domains", "dist/.hidden", "dist/.git/config"} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, filepath.Base(path))
	}
	writeFile(t, filepath.Join(outside, "secret"), "secret")
	if err := os.MkdirAll(filepath.Join(folder, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(folder, "out", "link")); err != nil {
		t.Fatal(err)
	}
	p, err := Read(folder, Inside)
	if err != nil {
		t.Fatal(err)
	}
	files, err := p.FrontendFiles("a")
	if err != nil || len(files) != 3 || string(files["/index.html"]) != "index.html" || string(files["/deep/er/app.js"]) != "app.js" || string(files["/.well-known/ic-domains"]) != "ic-domains" {
		t.Errorf("the files are %q (%v)", files, err)
	}
	for name, want := range map[string]string{"b": "missing does not exist: build the front end first", "c": "canisterd.yaml is not a directory", "d": "is outside"} {
		if _, err := p.FrontendFiles(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
