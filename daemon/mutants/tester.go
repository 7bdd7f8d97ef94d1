package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tester runs the tests of mutants.
type tester struct {
	root    string // the repository
	folder  string // for changed files
	timeout time.Duration
	passed  map[string]bool // packages whose tests pass without a change
}

func newTester(timeout time.Duration) (*tester, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	folder, err := os.MkdirTemp("", "canisterd-mutants-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for changed files: %w", err)
	}
	return &tester{root, folder, timeout, map[string]bool{}}, nil
}

func (t *tester) close() { _ = os.RemoveAll(t.folder) }

// test runs the tests of a mutant. It returns what killed it: a package, or the
// compiler; "" if it survives.
func (t *tester) test(ctx context.Context, m mutant) (killedBy string, err error) {
	overlay, err := t.overlay(m)
	if err != nil {
		return "", err
	}
	for _, folder := range append([]string{m.folder()}, suites[m.folder()]...) {
		if err := t.baseline(ctx, folder); err != nil {
			return "", err
		}
		if out, err := t.tests(ctx, folder, "-overlay", overlay); err != nil {
			if bytes.Contains(out, []byte("[build failed]")) {
				folder = "compiler"
			}
			return folder, ctx.Err()
		}
	}
	return "", nil
}

// baseline runs the tests of a package without a change, once: a package that
// fails by itself would kill every mutant.
func (t *tester) baseline(ctx context.Context, folder string) error {
	if t.passed[folder] {
		return nil
	}
	if out, err := t.tests(ctx, folder); err != nil {
		return fmt.Errorf("the tests of %s fail without a change: %w\n%s", folder, err, out)
	}
	t.passed[folder] = true
	return nil
}

func (t *tester) tests(ctx context.Context, folder string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-vet=off", "-short", "-failfast", "-timeout", t.timeout.String()}, flags...)
	return t.run(ctx, append(args, "./"+folder)...)
}

func (t *tester) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = t.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("running go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// overlay writes the changed file and the list that puts it in the place of the
// original (go help build, -overlay).
func (t *tester) overlay(m mutant) (path string, err error) {
	original := filepath.Join(t.root, m.file)
	text, err := os.ReadFile(original)
	if err != nil {
		return "", fmt.Errorf("reading the file to change: %w", err)
	}
	changed := filepath.Join(t.folder, "changed.go")
	if err := os.WriteFile(changed, m.apply(text), 0o600); err != nil {
		return "", fmt.Errorf("writing the changed file: %w", err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", fmt.Errorf("encoding the overlay: %w", err)
	}
	path = filepath.Join(t.folder, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	return path, nil
}
