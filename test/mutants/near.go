package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// near is what the tests of each package come near. It is measured when it is asked for
// the first time, and kept in a folder for the next run.
type near struct {
	uses     *uses
	schema   *schema
	overlay  string // the list of files with all mutants
	binaries string // the folder for test binaries, and the overlay
	kept     string // the folder for what is measured; "" for none

	mu       sync.Mutex // guards packages
	packages map[string]func() (*tests, error)
}

// tests are the tests of a package.
type tests struct {
	suite  *suite
	text   mentions
	binary string // with all mutants
}

// newNear puts the mutants into the code.
func newNear(root string, mutants []mutant, kept string) (*near, error) {
	u, err := readUses(root)
	if err != nil {
		return nil, err
	}
	s, err := newSchema(root, mutants)
	if err != nil {
		return nil, err
	}
	fmt.Printf("%d of %d mutants are in one binary, the others need a build\n", len(s.numbers), len(mutants))
	folder, err := os.MkdirTemp("", "canisterd-mutants-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for test binaries: %w", err)
	}
	r := &near{uses: u, schema: s, binaries: folder, kept: kept, packages: map[string]func() (*tests, error){}}
	if r.overlay, err = writeOverlay(folder, s.files); err != nil {
		r.remove()
		return nil, err
	}
	return r, nil
}

// remove removes the test binaries.
func (r *near) remove() {
	if r != nil {
		_ = os.RemoveAll(r.binaries)
	}
}

// pkg returns the tests of the package in a folder.
func (r *near) pkg(ctx context.Context, t *tester, folder string) (*tests, error) {
	r.mu.Lock()
	measure, ok := r.packages[folder]
	if !ok {
		measure = sync.OnceValues(func() (*tests, error) { return r.read(ctx, t, folder) })
		r.packages[folder] = measure
	}
	r.mu.Unlock()
	return measure()
}

func (r *near) read(ctx context.Context, t *tester, folder string) (*tests, error) {
	text, err := readMentions(filepath.Join(t.root, folder))
	if err != nil {
		return nil, err
	}
	key, err := r.key(ctx, t, folder)
	if err != nil {
		return nil, err
	}
	c := &collection{tester: t, folder: folder, near: r, binary: filepath.Join(r.binaries, strings.ReplaceAll(folder, "/", "-")+".test")}
	if err := c.build(ctx, c.binary, "-overlay", r.overlay); err != nil {
		return nil, err
	}
	file := filepath.Join(r.kept, key+".json")
	if kept, err := os.ReadFile(file); r.kept != "" && err == nil {
		var s suite
		if err := json.Unmarshal(kept, &s); err == nil {
			return &tests{&s, text, c.binary}, nil
		}
	}
	s, err := c.collect(ctx)
	if err != nil || r.kept == "" {
		return &tests{s, text, c.binary}, err
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encoding what tests come near: %w", err)
	}
	if err := os.MkdirAll(r.kept, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for what tests come near: %w", err)
	}
	if err := os.WriteFile(file, encoded, 0o644); err != nil {
		return nil, fmt.Errorf("keeping what tests come near: %w", err)
	}
	return &tests{s, text, c.binary}, nil
}

// key names the tests of a package and all that is in the folders that they are compiled from.
func (r *near) key(ctx context.Context, t *tester, folder string) (string, error) {
	paths, err := dependencies(ctx, t, folder, r.uses.module)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	note := func(path string) error {
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		}
		return err
	}
	err = note(filepath.Join(t.root, "go.mod"))
	// What the mutants are, and how they are put into the code, is in this package.
	for _, pkg := range append(paths, path.Dir(probePath), probePath) {
		if err != nil {
			break
		}
		dir := filepath.Join(t.root, strings.TrimPrefix(pkg, r.uses.module))
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != dir && filepath.Dir(path) == dir && d.Name() != "testdata":
				return filepath.SkipDir
			case d.Type().IsRegular():
				return note(path)
			}
			return nil
		})
	}
	if err != nil {
		return "", fmt.Errorf("reading what the tests of %s are made of: %w", folder, err)
	}
	return strings.ReplaceAll(folder, "/", "-") + "-" + hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// dependencies lists the packages of the module that the tests of a folder are compiled from, sorted, without the
// packages of the tests themselves.
func dependencies(ctx context.Context, t *tester, folder, module string) ([]string, error) {
	out, err := t.command(ctx, "go", "list", "-deps", "-test", "./"+folder)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		path, _, variant := strings.Cut(strings.TrimSpace(line), " ")
		if variant && strings.HasSuffix(path, "_test") || strings.HasSuffix(path, ".test") {
			continue
		}
		if path == module || strings.HasPrefix(path, module+"/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
