package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// compiler kills a mutant that does not compile.
const compiler = "compiler"

// tester runs the tests of mutants.
type tester struct {
	root     string // the repository
	timeout  time.Duration
	passed   map[string]bool // packages whose tests pass without a change; only where whole
	verdicts *verdicts

	near *near // what tests come near; nil to run whole packages
}

func newTester(timeout time.Duration) (*tester, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	return &tester{root: root, timeout: timeout, passed: map[string]bool{}}, nil
}

// test returns what kills a mutant: a package, or the compiler; "" if it survives. It runs the
// tests where the verdict is not known: a mutant that was killed stays dead while its package is
// the same, and one that survived is tried again when any of the tests changed.
func (t *tester) test(ctx context.Context, m mutant) (killedBy string, err error) {
	own, err := t.key(ctx, m, m.folder())
	if err != nil {
		return "", err
	}
	all, err := t.key(ctx, m, t.tested(m)...)
	if err != nil {
		return "", err
	}
	if killedBy, known := t.verdicts.find(own, all); known {
		return killedBy, nil
	}
	switch killedBy, err = t.run(ctx, m); {
	case err != nil:
		return "", err
	case killedBy == "":
		return "", t.verdicts.add(all, "")
	}
	return killedBy, t.verdicts.add(own, killedBy)
}

// tested are the packages whose tests a mutant must survive.
func (t *tester) tested(m mutant) []string {
	return append([]string{m.folder()}, suites[m.folder()]...)
}

// key names a mutant and the committed source of packages, tests included.
func (t *tester) key(ctx context.Context, m mutant, folders ...string) (string, error) {
	if t.verdicts.file == nil {
		return m.name, nil
	}
	var key strings.Builder
	for _, folder := range folders {
		out, err := t.command(ctx, "git", "rev-parse", "--short", "HEAD:"+folder)
		if err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		key.WriteString(strings.TrimSpace(string(out)) + " ")
	}
	return key.String() + m.name, nil
}

// run runs the tests of a mutant.
func (t *tester) run(ctx context.Context, m mutant) (killedBy string, err error) {
	folder, err := os.MkdirTemp("", "canisterd-mutant-")
	if err != nil {
		return "", fmt.Errorf("making a folder for a changed file: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	overlay, err := t.overlay(m, folder)
	if err != nil {
		return "", err
	}
	if t.near != nil {
		return t.runNear(ctx, m, overlay, folder)
	}
	for _, tested := range t.tested(m) {
		if err := t.baseline(ctx, tested); err != nil {
			return "", err
		}
		if out, err := t.tests(ctx, tested, "-overlay", overlay); err != nil {
			if bytes.Contains(out, []byte("[build failed]")) {
				tested = compiler
			}
			return tested, ctx.Err()
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
	return t.command(ctx, "go", append(args, "./"+folder)...)
}

// command runs a command in the repository.
func (t *tester) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	return t.commandIn(ctx, t.root, name, args...)
}

func (t *tester) commandIn(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
	return t.commandWith(ctx, nil, folder, name, args...)
}

// commandWith runs a command in a folder with variables in its environment.
func (t *tester) commandWith(ctx context.Context, variables []string, folder, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	defer inGroup(cmd)()
	cmd.WaitDelay = time.Second // for processes that leave the group and keep the output open
	// A property that fails is not to be made small, which takes up to half a minute, and
	// not to be kept: the tests of the next mutant would begin with it, and fail where it
	// was made for this one.
	cmd.Env = append(append(os.Environ(), "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=1ms", "CANISTERD_TEST_CACHE=off"), variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("running %s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}

// overlay writes the changed file of a mutant, see writeOverlay.
func (t *tester) overlay(m mutant, folder string) (path string, err error) {
	original := filepath.Join(t.root, m.file)
	text, err := os.ReadFile(original)
	if err != nil {
		return "", fmt.Errorf("reading the file to change: %w", err)
	}
	return writeOverlay(folder, map[string][]byte{original: m.apply(text)})
}

// writeOverlay writes changed files into a folder, and the list that puts them in the place of the
// originals (go help build, -overlay). files are the new texts by the path of the original.
func writeOverlay(folder string, files map[string][]byte) (path string, err error) {
	replace := map[string]string{}
	for i, original := range slices.Sorted(maps.Keys(files)) {
		changed := filepath.Join(folder, fmt.Sprintf("%d.go", i))
		replace[original] = changed
		if err := os.WriteFile(changed, files[original], 0o600); err != nil {
			return "", fmt.Errorf("writing a changed file: %w", err)
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("encoding the overlay: %w", err)
	}
	path = filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	return path, nil
}
