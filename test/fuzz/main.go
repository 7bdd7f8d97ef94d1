// Command fuzz runs every fuzz target of the repository for a while, each from
// an empty corpus cache, and prints one table.
//
// A target that finds a failing input fails the run; go test keeps the input
// under the package's testdata/fuzz and runs it from then on. A target that
// barely runs, or that learns nothing from its inputs, proves nothing, so it
// fails the run too: it made fewer than -least executions, or found no input
// that covers new code.
//
// The minimization of inputs is bounded. By default Go minimizes each new input
// for up to a minute, so a target whose one execution takes a millisecond spends
// a whole run on its first few inputs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"text/tabwriter"
	"time"
)

// options are the flags.
type options struct {
	duration time.Duration  // of one target
	minimize time.Duration  // of one input
	least    int            // executions of one target
	only     *regexp.Regexp // of names of targets
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.DurationVar(&o.duration, "time", 10*time.Second, "how long each target runs")
	flag.DurationVar(&o.minimize, "minimize", time.Second, "how long one input is minimized")
	flag.IntVar(&o.least, "least", 1000, "the fewest executions of a target that count as a run")
	only := flag.String("only", "", "only targets whose name matches this expression")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		err = run(ctx, o, packages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// run fuzzes the targets of packages one after the other.
func run(ctx context.Context, o options, packages []string) error {
	folder, err := os.MkdirTemp("", "canisterd-fuzz-")
	if err != nil {
		return fmt.Errorf("making a folder for test binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	targets, err := list(ctx, packages, o.only)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz target matches %q", o.only)
	}
	out := tabwriter.NewWriter(os.Stdout, 44, 0, 2, ' ', 0)
	fmt.Fprintln(out, "target\texecutions\tnew inputs\tverdict")
	failed := 0
	for _, t := range targets {
		r, err := t.fuzz(ctx, folder, o)
		if err != nil {
			return err
		}
		verdict := r.verdict(o.least)
		if verdict != "ok" {
			failed++
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%s\n", t.name, r.executions, r.found, verdict)
		if err := out.Flush(); err != nil {
			return err
		}
		if r.failed {
			fmt.Println(r.output)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets failed", failed, len(targets))
	}
	return nil
}
