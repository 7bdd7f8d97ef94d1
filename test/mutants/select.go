package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Environment variables of the package probe, which only test binaries import.
const (
	activeVariable   = "CANISTERD_MUTANT"
	infectedVariable = "CANISTERD_MUTANTS_INFECTED"
)

// compileError is a line of the compiler's output. Without one, a build failed for
// another reason, which says nothing about the mutant.
var compileError = regexp.MustCompile(`\.go:\d+:\d+: `)

// runNear runs those tests of a mutant that may notice it: those in which it makes a difference.
func (t *tester) runNear(ctx context.Context, m mutant, overlay, folder string) (killedBy string, err error) {
	number, ok := t.near.schema.numbers[m.name]
	if !ok {
		return t.runBuilt(ctx, m, overlay, folder, func(string, *tests) func(testRun) bool {
			return func(testRun) bool { return true }
		})
	}
	changed := t.near.uses.target(m)
	active := fmt.Sprintf("%s=%d", activeVariable, number)
	for _, tested := range t.tested(m) {
		p, err := t.near.pkg(ctx, t, tested)
		if err != nil {
			return "", err
		}
		for _, b := range p.suite.choose(changed, p.text, func(run testRun) bool { return slices.Contains(run.Near, m.name) }) {
			if !t.passes(ctx, tested, p.binary, b, active) {
				return tested, ctx.Err()
			}
		}
	}
	return t.runBuilt(ctx, m, overlay, folder, func(tested string, p *tests) func(testRun) bool {
		var apart map[string]bool
		if slices.Contains(closed, tested) {
			apart = p.text.through(processes)
		}
		return func(run testRun) bool { return run.Always || apart[run.Name] }
	})
}

// runBuilt runs tests of a mutant in a build of its own, where any are wanted.
func (t *tester) runBuilt(ctx context.Context, m mutant, overlay, folder string, wanted func(string, *tests) func(testRun) bool) (killedBy string, err error) {
	changed := t.near.uses.target(m)
	for _, tested := range t.tested(m) {
		p, err := t.near.pkg(ctx, t, tested)
		if err != nil {
			return "", err
		}
		batches := p.suite.choose(changed, p.text, wanted(tested, p))
		if len(batches) == 0 {
			continue
		}
		binary := filepath.Join(folder, "tests")
		if ok, err := t.build(ctx, tested, binary, "-overlay", overlay); !ok || err != nil {
			return compiler, err
		}
		for _, b := range batches {
			if !t.passes(ctx, tested, binary, b) {
				return tested, ctx.Err()
			}
		}
	}
	return "", nil
}

// build makes the test binary of a package; false if it does not compile.
func (t *tester) build(ctx context.Context, folder, binary string, flags ...string) (bool, error) {
	// Without symbols, as go test does where it runs the tests itself.
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}, flags...)
	return t.compiled(ctx, append(args, "./"+folder)...)
}

func (t *tester) compiled(ctx context.Context, args ...string) (bool, error) {
	out, err := t.command(ctx, "go", args...)
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() == nil && compileError.Match(out):
		return false, nil
	}
	return false, fmt.Errorf("%w\n%s", err, out)
}

// passes runs a batch of tests.
func (t *tester) passes(ctx context.Context, folder, binary string, b batch, variables ...string) bool {
	_, err := t.commandWith(ctx, variables, filepath.Join(t.root, folder), binary,
		"-test.short", "-test.failfast", "-test.paniconexit0", "-test.timeout", t.allowed(b.took).String(), "-test.run", only(b.tests...))
	return err == nil
}

// allowed is how long tests may run that take so long without a change. Longer, and
// the change made an endless loop.
func (t *tester) allowed(took time.Duration) time.Duration {
	return min(t.timeout, 30*time.Second+10*took)
}

// only is an expression that matches tests of these names.
func only(names ...string) string { return "^(" + strings.Join(names, "|") + ")$" }

// collection is what is measured of the tests of a package.
type collection struct {
	*tester
	folder string
	near   *near
	binary string // with all mutants
}

// collect runs each test of a package alone and notes what it comes near. A package without tests has no binary.
func (c *collection) collect(ctx context.Context) (*suite, error) {
	if _, err := os.Stat(c.binary); errors.Is(err, fs.ErrNotExist) {
		return &suite{}, nil
	}
	out, err := c.commandIn(ctx, filepath.Join(c.root, c.folder), c.binary, "-test.list", ".")
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", c.folder, err, out)
	}
	return c.all(ctx, slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !isTest(name) }))
}

func (c *collection) build(ctx context.Context, binary string, flags ...string) error {
	ok, err := c.tester.build(ctx, c.folder, binary, flags...)
	if err == nil && !ok {
		err = fmt.Errorf("the tests of %s do not compile without a change", c.folder)
	}
	return err
}

// all runs each of the tests in a process of its own, two at a time: many of them wait.
func (c *collection) all(ctx context.Context, names []string) (*suite, error) {
	runs, errs := make([]testRun, len(names)), make([]error, len(names))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 2 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				runs[i], errs[i] = c.run(ctx, names[i])
			}
		})
	}
	workers.Wait()
	return &suite{runs}, cmp.Or(errors.Join(errs...), ctx.Err())
}

// run runs one test alone. One that fails with probes, also when it is repeated, must pass without: some
// tests measure time or memory, and pass only at full speed, and hardly beside others.
func (c *collection) run(ctx context.Context, name string) (testRun, error) {
	run := testRun{Name: name}
	infected := c.binary + "." + name
	for range 3 {
		start := time.Now()
		_, err := c.alone(ctx, c.binary, name, infectedVariable+"="+infected)
		if run.Took = time.Since(start); err == nil {
			run.Near, err = c.infected(infected)
			return run, err
		}
		if ctx.Err() != nil {
			return run, ctx.Err()
		}
	}
	run.Always = true
	plain := c.binary + "." + name + ".plain"
	if err := c.build(ctx, plain); err != nil {
		return run, err
	}
	out, err := c.alone(ctx, plain, name)
	if err != nil {
		err = fmt.Errorf("%s of %s fails alone and without a change: %w\n%s", name, c.folder, err, out)
	}
	return run, err
}

// infected reads the names of the mutants whose numbers are in a file.
func (c *collection) infected(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what a test comes near: %w", err)
	}
	numbers := map[string]bool{}
	for _, number := range strings.Fields(string(text)) {
		numbers[number] = true
	}
	var names []string
	for name, number := range c.near.schema.numbers {
		if numbers[strconv.Itoa(number)] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (c *collection) alone(ctx context.Context, binary, name string, variables ...string) ([]byte, error) {
	return c.commandWith(ctx, variables, filepath.Join(c.root, c.folder), binary,
		"-test.short", "-test.paniconexit0", "-test.timeout", c.timeout.String(), "-test.run", only(name))
}
