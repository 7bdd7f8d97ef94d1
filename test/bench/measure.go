package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience is how long the runs of a row may take before its benchmark is not run again: those that prepare for seconds
// take several turns in each run.
const patience = 5 * time.Second

// measure runs the benchmarks of the checkout in the working directory and prints their table. The test binaries are
// built first: nothing else runs beside a benchmark. It fails if a row misses its limit in both of two runs.
func measure(ctx context.Context, o options) error {
	begun := time.Now()
	folder, err := os.MkdirTemp("", "canisterd-bench-")
	if err != nil {
		return fmt.Errorf("making a folder for test binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	here, err := build(ctx, o, ".", filepath.Join(folder, "here"))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "built in %s\n", time.Since(begun).Round(time.Second))
	var out bytes.Buffer
	for _, s := range here.suites {
		if err := s.repeat(ctx, o, &out, map[string]time.Duration{}); err != nil {
			return err
		}
	}
	rows, err := collect(&out)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return o.noMatch()
	}
	if err := repeatMissed(ctx, o, here, rows); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d rows in %s\n", len(rows), time.Since(begun).Round(time.Second))
	if err := table(os.Stdout, rows); err != nil {
		return err
	}
	if err := writeJSON(o.json, rows); err != nil {
		return err
	}
	return missedLimits(rows)
}

// repeatMissed runs the benchmarks of rows that missed their limits a second time.
func repeatMissed(ctx context.Context, o options, here checkout, rows []Row) error {
	repeated := map[string]bool{}
	for _, r := range rows {
		benchmark, _, _ := strings.Cut("BenchmarkRatio"+r.Name, "/")
		if !r.Missed() || repeated[benchmark] {
			continue
		}
		repeated[benchmark] = true
		fmt.Fprintf(os.Stderr, "%s again: %s measured %.2f, its limit is %.2f\n", benchmark, r.Name, r.Ratio, r.Limit)
		s, _ := here.find(benchmark)
		s.benchmarks = []string{benchmark}
		var out bytes.Buffer
		if err := s.repeat(ctx, o, &out, map[string]time.Duration{}); err != nil {
			return err
		}
		again, err := collect(&out)
		if err != nil {
			return err
		}
		replaceMissed(rows, again)
	}
	return nil
}

// replaceMissed puts the second run of rows that missed their limits in the place of the first: they fail if they miss in
// both.
func replaceMissed(rows, again []Row) {
	for _, second := range again {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == second.Name })
		if i >= 0 && rows[i].Missed() {
			rows[i] = second
		}
	}
}

// repeat runs the benchmarks of a package, as often as the options say, without those with a row that has taken patience.
// took is how long each row took so far.
func (s suite) repeat(ctx context.Context, o options, out io.Writer, took map[string]time.Duration) error {
	left := slices.Clone(s.benchmarks)
	for range o.count {
		for row, time := range took {
			if time >= patience {
				benchmark, _, _ := strings.Cut(row, "/")
				left = slices.DeleteFunc(left, func(name string) bool { return name == benchmark })
			}
		}
		if len(left) == 0 {
			return nil
		}
		if err := s.runAll(ctx, left, o.benchtime, out, took); err != nil {
			return err
		}
	}
	return nil
}

// runAll runs benchmarks once, in one process, and adds how long each row took.
func (s suite) runAll(ctx context.Context, benchmarks []string, benchtime string, out io.Writer, took map[string]time.Duration) error {
	cmd := exec.CommandContext(ctx, s.binary, "-test.run", "^$", "-test.bench", "^("+strings.Join(benchmarks, "|")+")$",
		"-test.benchtime", benchtime, "-test.timeout", "60m")
	cmd.Dir, cmd.Stderr = s.folder, os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("running the benchmarks of %s: %w", s.folder, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running the benchmarks of %s: %w", s.folder, err)
	}
	var said bytes.Buffer
	last := time.Now()
	lines := bufio.NewScanner(io.TeeReader(pipe, &said))
	for lines.Scan() {
		name, isRow := rowOf(lines.Text())
		if !isRow {
			continue
		}
		lasted := time.Since(last)
		last = last.Add(lasted)
		took[name] += lasted
		fmt.Fprintf(os.Stderr, "%s\t%s\n", name, lasted.Round(time.Second/10))
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("running the benchmarks of %s: %w\n%s", s.folder, err, said.Bytes())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading what the benchmarks of %s print: %w", s.folder, err)
	}
	_, err = out.Write(said.Bytes())
	return err
}

// rowOf returns the name of the row whose result a line has, without the number of processors.
func rowOf(text string) (name string, isRow bool) {
	name, _, _ = strings.Cut(text, " ")
	name, _, _ = strings.Cut(name, "\t")
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		name = name[:at]
	}
	return name, strings.HasPrefix(name, "BenchmarkRatio")
}
