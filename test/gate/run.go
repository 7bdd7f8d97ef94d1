package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// result is how a target ended.
type result struct {
	target string
	took   time.Duration
	err    error
}

// runner runs targets and prints what they print, each as a whole.
type runner struct {
	make  func(ctx context.Context, target string, output io.Writer) error
	tree  func(ctx context.Context) (tree, error)
	print io.Writer
}

// run is the command gate run.
func run(ctx context.Context, flags *flag.FlagSet, args []string) error {
	first := flags.String("first", "", "targets that run one after the other before the rest; the first that fails ends the run")
	jobs := flags.Int("jobs", 2, "how many targets run at a time")
	record := flags.String("record", "", "write the commit to this file if all targets passed, and the tree was clean and did not change")
	report := flags.String("report", "", "write the commit, the result and the seconds of each target to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := runner{make: runMake, tree: readTree, print: os.Stdout}
	before, err := r.tree(ctx)
	if err != nil {
		return err
	}
	results, err := r.all(ctx, before, fields(*first), flags.Args(), *jobs)
	if err != nil {
		return err
	}
	text := table(before, results)
	fmt.Print("\n" + text)
	if *report != "" {
		if err := write(*report, text); err != nil {
			return err
		}
	}
	if err := failure(results, len(fields(*first))+flags.NArg()); err != nil {
		return err
	}
	if *record == "" {
		return nil
	}
	if before.status != "" {
		fmt.Printf("passed, but %s is not written: the tree had changes that are in no commit\n", *record)
		return nil
	}
	return write(*record, before.commit+"\n")
}

// fields are the names in a list that is separated by commas.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// runMake runs one target as a make of its own.
func runMake(ctx context.Context, target string, output io.Writer) error {
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", target)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MFLAGS=")
	cmd.Stdout, cmd.Stderr = output, output
	return cmd.Run()
}

// all runs the first targets one after the other, up to one that fails, then the rest, some at a time. A target of the
// rest that fails does not end the others: one run tells of all that is wrong. The error is the end of ctx.
func (r *runner) all(ctx context.Context, before tree, first, rest []string, jobs int) (results []result, err error) {
	for _, target := range first {
		done := r.one(ctx, before, target)
		results = append(results, done)
		if failed := done.err != nil; failed {
			return results, ctx.Err()
		}
	}
	var mu sync.Mutex // guards results
	var group sync.WaitGroup
	next := make(chan string)
	for range max(1, jobs) {
		group.Go(func() {
			for target := range next {
				done := r.one(ctx, before, target)
				mu.Lock()
				results = append(results, done)
				mu.Unlock()
			}
		})
	}
	for _, target := range rest {
		next <- target
	}
	close(next)
	group.Wait()
	return results, ctx.Err()
}

// one runs a target. It fails if the target does, or if the tree is not what it was.
func (r *runner) one(ctx context.Context, before tree, target string) result {
	var output bytes.Buffer
	begun := time.Now()
	err := r.make(ctx, target, &output)
	done := result{target: target, took: time.Since(begun), err: err}
	if after, treeErr := r.tree(ctx); err == nil && treeErr != nil {
		done.err = treeErr
	} else if err == nil && after != before {
		done.err = fmt.Errorf("the tree changed while it ran: %s at %s, %s at %s before", listed(after.status), after.commit, listed(before.status), before.commit)
	}
	ending := "passed"
	if done.err != nil {
		ending = "FAILED: " + done.err.Error()
	}
	fmt.Fprintf(r.print, "=== %s\n%s=== %s %s after %.0f s\n", target, output.Bytes(), target, ending, done.took.Seconds())
	return done
}

// listed shows the status of a tree in one line.
func listed(status string) string {
	if status == "" {
		return "clean"
	}
	return strings.ReplaceAll(status, "\n", ", ")
}

// table shows the commit, and a line for each target.
func table(before tree, results []result) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n", before.commit, listed(before.status))
	for _, done := range results {
		ending := "passed"
		if done.err != nil {
			ending = "FAILED"
		}
		fmt.Fprintf(&text, "%-28s %6.0f s  %s\n", done.target, done.took.Seconds(), ending)
	}
	return text.String()
}

// failure names the targets that failed, or did not run because of them.
func failure(results []result, expected int) error {
	var failed []string
	for _, done := range results {
		if done.err != nil {
			failed = append(failed, done.target)
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	case len(results) != expected:
		return fmt.Errorf("%d of %d targets ran", len(results), expected)
	}
	return nil
}

// write writes a file and its folder.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
