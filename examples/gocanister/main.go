// Command gocanister builds two canisters in Go, a counter and one that calls it, and runs them in a network of its own
// process:
//
//	go run ./examples/gocanister
//
// README.md says what such canisters can do, and what they cost.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/canisterd/canisterd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gocanister:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "gocanister")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := build(ctx, folder); err != nil {
		return err
	}
	return tell(ctx, folder, out)
}

// build compiles the canisters into a folder.
func build(ctx context.Context, folder string) error {
	const path = "github.com/canisterd/canisterd/examples/gocanister/"
	for _, name := range []string{"counter", "caller"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildmode=c-shared", "-o", filepath.Join(folder, name+".wasm"), path+name)
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building the %s: %w\n%s", name, err, said)
		}
	}
	return nil
}

// tell deploys the canisters of a folder and calls them.
func tell(ctx context.Context, folder string, out io.Writer) (err error) {
	ic, err := canisterd.Open(ctx, canisterd.Seed("gocanister"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ic.Close()) }()
	wasi := canisterd.Features("wasi")
	counter, err := ic.Deploy(ctx, filepath.Join(folder, "counter.wasm"), wasi)
	if err != nil {
		return err
	}
	caller, err := ic.Deploy(ctx, filepath.Join(folder, "caller.wasm"), wasi)
	if err != nil {
		return err
	}
	totals, err := canisterd.Call[[]uint64](ctx, caller, "addThrice", counter.ID(), uint64(5))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The caller adds 5 three times:", totals)
	for _, chapter := range []func(context.Context, *canisterd.Network, *canisterd.Canister, io.Writer) error{sleep, trap} {
		if err := chapter(ctx, ic, counter, out); err != nil {
			return err
		}
	}
	if err := counter.Upgrade(ctx, filepath.Join(folder, "counter.wasm"), wasi); err != nil {
		return err
	}
	total, err := canisterd.Query[uint64](ctx, counter, "total")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "After an upgrade the total is", total)
	return nil
}

// sleep calls a method whose goroutine sleeps for an hour, and lets that pass.
func sleep(ctx context.Context, ic *canisterd.Network, counter *canisterd.Canister, out io.Writer) error {
	later, err := counter.Submit(ctx, "addLater", uint64(10))
	if err != nil {
		return err
	}
	if err := later.Await(ctx); !errors.Is(err, canisterd.ErrWaiting) {
		return fmt.Errorf("the counter does not sleep: %w", err)
	}
	fmt.Fprintln(out, "A goroutine of the counter sleeps for an hour.")
	if err := ic.Advance(ctx, time.Hour); err != nil {
		return err
	}
	var total uint64
	var slept string
	if err := later.Await(ctx, canisterd.Into(&total, &slept)); err != nil {
		return err
	}
	fmt.Fprintf(out, "It slept %s; the total is %d.\n", slept, total)
	return nil
}

// trap calls a method that fails.
func trap(ctx context.Context, ic *canisterd.Network, counter *canisterd.Canister, out io.Writer) error {
	failing, err := counter.Submit(ctx, "fail")
	if err != nil {
		return err
	}
	// The runtime of Go sleeps for some milliseconds before it exits.
	if err := ic.Advance(ctx, time.Second); err != nil {
		return err
	}
	err = failing.Await(ctx)
	var reject *canisterd.Reject
	if !errors.As(err, &reject) {
		return fmt.Errorf("the counter does not fail: %w", err)
	}
	fmt.Fprintln(out, "A method fails:", reject)
	lines, err := counter.Logs(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The log of the counter:")
	for _, line := range lines {
		fmt.Fprintln(out, " ", line)
	}
	return nil
}
