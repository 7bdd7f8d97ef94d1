package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// compileError is a line of the compiler's output. Without one, a build failed for
// another reason, which says nothing about the mutant.
var compileError = regexp.MustCompile(`\.go:\d+:\d+: `)

// runReaching runs those tests of a mutant that may notice it.
func (t *tester) runReaching(ctx context.Context, m mutant, overlay, folder string) (killedBy string, err error) {
	changed := t.reached.uses.target(m)
	built := false
	for _, tested := range t.tested(m) {
		p, err := t.reached.pkg(ctx, t, tested)
		if err != nil {
			return "", err
		}
		batches := p.suite.choose(changed, p.text)
		if len(batches) == 0 {
			continue
		}
		binary := filepath.Join(folder, "tests")
		built = true
		if ok, err := t.build(ctx, tested, binary, "-overlay", overlay); !ok || err != nil {
			return compiler, err
		}
		for _, b := range batches {
			if !t.passes(ctx, tested, binary, b) {
				return tested, ctx.Err()
			}
		}
	}
	if !built { // no test reaches the mutant, but it may be no program
		if ok, err := t.compiled(ctx, "build", "-overlay", overlay, "./"+m.folder()); !ok || err != nil {
			return compiler, err
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
func (t *tester) passes(ctx context.Context, folder, binary string, b batch) bool {
	_, err := t.commandIn(ctx, filepath.Join(t.root, folder), binary,
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

// collect runs each test of a package alone and notes what it reaches.
func (t *tester) collect(ctx context.Context, folder, module string) (*suite, error) {
	temporary, err := os.MkdirTemp("", "canisterd-reach-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for profiles: %w", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	c := collection{tester: t, folder: folder, module: module, temporary: temporary}
	measured, err := dependencies(ctx, t, folder, module)
	if err != nil {
		return nil, err
	}
	if err := c.build(ctx, "measured", "-cover", "-coverpkg="+strings.Join(measured, ",")); err != nil {
		return nil, err
	}
	if err := c.build(ctx, "plain"); err != nil {
		return nil, err
	}
	out, err := t.commandIn(ctx, filepath.Join(t.root, folder), filepath.Join(temporary, "plain"), "-test.list", ".")
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", folder, err, out)
	}
	return c.all(ctx, slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !isTest(name) }))
}

// collection is what is measured of the tests of a package.
type collection struct {
	*tester
	folder, module, temporary string
}

func (c *collection) build(ctx context.Context, binary string, flags ...string) error {
	ok, err := c.tester.build(ctx, c.folder, filepath.Join(c.temporary, binary), flags...)
	if err == nil && !ok {
		err = fmt.Errorf("the tests of %s do not compile without a change", c.folder)
	}
	return err
}

// all runs each of the tests in a process of its own, two at a time: many of them wait.
func (c *collection) all(ctx context.Context, names []string) (*suite, error) {
	type outcome struct {
		run      testRun
		executed []block
		err      error
	}
	outcomes := make([]outcome, len(names))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 2 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				o := &outcomes[i]
				o.run, o.executed, o.err = c.run(ctx, names[i])
			}
		})
	}
	workers.Wait()
	s, indexes := &suite{}, map[block]int{}
	for _, o := range outcomes {
		if err := cmp.Or(o.err, ctx.Err()); err != nil {
			return nil, err
		}
		s.add(o.run, o.executed, indexes)
	}
	return s, nil
}

// run runs one test alone.
func (c *collection) run(ctx context.Context, name string) (testRun, []block, error) {
	profile := filepath.Join(c.temporary, name+".profile")
	run := testRun{Name: name}
	start := time.Now()
	_, err := c.alone(ctx, "measured", name, "-test.coverprofile", profile)
	run.Took = time.Since(start)
	if err != nil && ctx.Err() == nil {
		run.Took, err = c.plain(ctx, name)
		run.Always = true
		return run, nil, err
	}
	if err != nil {
		return run, nil, err
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return run, nil, fmt.Errorf("reading a profile: %w", err)
	}
	executed, err := parseProfile(text, c.module)
	return run, executed, err
}

// plain runs a test that failed where coverage was measured: some tests measure time or
// memory, and pass only at full speed, and hardly beside others.
func (c *collection) plain(ctx context.Context, name string) (took time.Duration, err error) {
	var out []byte
	for range 3 {
		start := time.Now()
		if out, err = c.alone(ctx, "plain", name); err == nil {
			return time.Since(start), nil
		}
	}
	return 0, fmt.Errorf("%s of %s fails alone and without a change: %w\n%s", name, c.folder, err, out)
}

func (c *collection) alone(ctx context.Context, binary, name string, flags ...string) ([]byte, error) {
	args := append([]string{"-test.short", "-test.paniconexit0", "-test.timeout", c.timeout.String(), "-test.run", only(name)}, flags...)
	return c.commandIn(ctx, filepath.Join(c.root, c.folder), filepath.Join(c.temporary, binary), args...)
}
