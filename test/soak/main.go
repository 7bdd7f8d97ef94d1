package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options say how long the load lasts.
type options struct {
	warm, length time.Duration // until the first measurement, and from then on until the last
	binary       string        // "": built
}

func main() {
	var o options
	flag.DurationVar(&o.warm, "warm", 5*time.Minute, "how long the load lasts until the process is measured")
	flag.DurationVar(&o.length, "length", 55*time.Minute, "how long the load lasts from then on")
	flag.StringVar(&o.binary, "binary", "", "the binary to run (default: the one that is built here)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := soak(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak does what the options say.
func soak(ctx context.Context, o options, out io.Writer) (err error) {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("on %s the resources of a process are not measured: run it on Linux", runtime.GOOS)
	}
	folder, err := os.MkdirTemp("", "canisterd-soak-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if o.binary == "" {
		o.binary = filepath.Join(folder, "canisterd")
		if text, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "github.com/canisterd/canisterd/cmd/canisterd").CombinedOutput(); err != nil {
			return fmt.Errorf("building canisterd: %w\n%s", err, text)
		}
	}
	p, err := startProcess(ctx, o.binary, folder)
	if err != nil {
		return err
	}
	err = measure(ctx, &o, p, out)
	if err = errors.Join(err, p.stop()); err != nil {
		return err
	}
	replay, err := exec.CommandContext(ctx, o.binary, "replay", p.state).CombinedOutput()
	fmt.Fprintf(out, "replay: %s\n", strings.ReplaceAll(strings.TrimSpace(string(replay)), "\n", ", "))
	return err
}

// measure compares the process after the load with the process after the warm-up.
func measure(ctx context.Context, o *options, p *process, out io.Writer) error {
	l := &load{process: p}
	if err := l.prepare(ctx); err != nil {
		return p.explain(err)
	}
	phase := func(name string, length time.Duration) (s sample, err error) {
		if err := l.run(ctx, length); err != nil {
			return s, p.explain(err)
		}
		s, err = p.measure(ctx)
		s.answers = l.answers()
		fmt.Fprintf(out, "%s: %s\n", name, s)
		return s, err
	}
	warm, err := phase(fmt.Sprintf("after %s", o.warm), o.warm)
	if err != nil {
		return err
	}
	end, err := phase(fmt.Sprintf("after %s", o.warm+o.length), o.length)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(l.done)) {
		fmt.Fprintf(out, "%6d times: %s\n", l.done[name], name)
	}
	if failures := growth(&warm, &end); len(failures) > 0 {
		return errors.New("the process has grown:\n" + strings.Join(failures, "\n"))
	}
	return nil
}
