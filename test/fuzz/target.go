package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// target is one fuzz target: a function of a package's tests.
type target struct {
	name   string
	pkg    string // import path
	folder string // of the package; go test keeps failing inputs below it
}

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// list finds the targets of packages whose name matches only, in the order of
// the packages.
func list(ctx context.Context, packages []string, only *regexp.Regexp) ([]target, error) {
	const format = `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "-f", format}, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", strings.Join(packages, " "), err)
	}
	var targets []target
	for line := range strings.Lines(string(out)) {
		pkg, file, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("looking for fuzz targets: %w", err)
		}
		for _, match := range declaration.FindAllSubmatch(text, -1) {
			if name := string(match[1]); only.MatchString(name) {
				targets = append(targets, target{name, pkg, filepath.Dir(file)})
			}
		}
	}
	return targets, nil
}

// result is one run of a target.
type result struct {
	executions, found int
	failed            bool // an input failed, or the run did
	output            string
}

func (r result) verdict(least int) string {
	switch {
	case r.failed:
		return "FAILED"
	case r.executions < least:
		return fmt.Sprintf("TOO FEW EXECUTIONS, at least %d", least)
	case r.found == 0:
		return "NO NEW INPUT"
	}
	return "ok"
}

// fuzz runs a target from an empty cache. The binary of its package is kept in
// folder for the next target of the same package. An error means that the
// target could not run.
func (t target) fuzz(ctx context.Context, folder string, o options) (result, error) {
	binary := filepath.Join(folder, strings.ReplaceAll(t.pkg, "/", "_")+".test")
	if _, err := os.Stat(binary); errors.Is(err, os.ErrNotExist) {
		// -fuzz makes the compiler add the coverage counters that guide the search.
		build := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz", "^Fuzz", "-o", binary, t.pkg)
		if out, err := build.CombinedOutput(); err != nil {
			return result{}, fmt.Errorf("compiling the tests of %s: %w\n%s", t.pkg, err, out)
		}
	}
	cache, err := os.MkdirTemp(folder, "cache-")
	if err != nil {
		return result{}, fmt.Errorf("making an empty cache: %w", err)
	}
	defer func() { _ = os.RemoveAll(cache) }()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+o.duration.String(),
		"-test.fuzzminimizetime="+o.minimize.String(), "-test.fuzzcachedir="+cache)
	cmd.Dir = t.folder
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	return read(string(out), err != nil), nil
}

var (
	progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)
	// When the time is over, a target sometimes fails with this and nothing else.
	timeOver = regexp.MustCompile(`(?m)^ *context deadline exceeded$`)
)

// read makes a result of what a run printed.
func read(output string, failed bool) result {
	r := result{output: output, failed: failed}
	if failed && !strings.Contains(output, "Failing input") && timeOver.MatchString(output) {
		r.failed = false
	}
	if all := progress.FindAllStringSubmatch(output, -1); len(all) > 0 {
		last := all[len(all)-1]
		r.executions, _ = strconv.Atoi(last[1]) // the expression matches digits alone
		r.found, _ = strconv.Atoi(last[2])
	}
	return r
}
