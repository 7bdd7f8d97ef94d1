package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// options are the flags.
type options struct {
	json      string // a file for the table; "" for none
	base      string // the folder of another checkout; "" for none
	count     int    // how often each benchmark runs
	benchtime string // how long each run lasts
	only      string // an expression for names, after BenchmarkRatio
	tags      string // build tags; without them those of GOFLAGS
	packages  []string
}

// tagged returns the arguments of the command go with the build tags.
func (o options) tagged(args ...string) []string {
	if o.tags == "" {
		return args
	}
	return slices.Insert(args, 1, "-tags", o.tags)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.json, "json", "", "also write the table to this file, as JSON")
	flag.StringVar(&o.base, "base", "", "compare with the checkout in this folder: each benchmark runs in turns there and here")
	flag.IntVar(&o.count, "count", 3, "how often each benchmark runs, unless its runs take seconds")
	flag.StringVar(&o.benchtime, "benchtime", "0.5s", "how long each run lasts")
	flag.StringVar(&o.only, "only", "", "only benchmarks whose name, after BenchmarkRatio, matches this expression")
	flag.StringVar(&o.tags, "tags", "", "build tags, with commas between them (default: those of GOFLAGS)")
	flag.Parse()
	if o.packages = flag.Args(); len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	do := measure
	if o.base != "" {
		do = compare
	}
	if err := do(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// pattern is the expression for the names of the benchmarks.
func (o options) pattern() string { return "^BenchmarkRatio.*" + o.only }

func (o options) noMatch() error {
	return fmt.Errorf("no benchmark matches BenchmarkRatio.*%s in %s", o.only, strings.Join(o.packages, " "))
}

// writeJSON writes the rows of a table to a file; path is "" for none.
func writeJSON(path string, rows any) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the table: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
