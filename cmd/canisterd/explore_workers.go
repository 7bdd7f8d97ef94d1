package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
)

const (
	// externalWorkers selects workers in other processes.
	externalWorkers = "external"
	// workerPatience is how long a worker may take to end after an interrupt.
	workerPatience = 5 * time.Second
	// maxWorkerProcesses limits the workers that one command starts. Ours.
	maxWorkerProcesses = 64
)

// workersFlags say which processes run an exploration, and how many runs are made in parallel.
type workersFlags struct {
	workers   string
	processes uint32
}

func (f *workersFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workers, "workers", "", "number of parallel runs (default: one for each processor), or external for those of canisterd explore worker")
	cmd.Flags().Uint32Var(&f.processes, "worker-processes", 0, "number of worker processes to start on this machine (default: none)")
}

// read returns the number of parallel runs in the daemon, or that other processes make them.
func (f *workersFlags) read() (count uint32, external bool, err error) {
	if f.processes > maxWorkerProcesses {
		return 0, false, fmt.Errorf("invalid --worker-processes %d: the limit is %d", f.processes, maxWorkerProcesses)
	}
	switch {
	case f.workers == externalWorkers, f.workers == "" && f.processes > 0:
		return 0, true, nil
	case f.processes > 0:
		return 0, false, fmt.Errorf("invalid --workers %s: with --worker-processes, expected %s", f.workers, externalWorkers)
	case f.workers == "":
		return 0, false, nil
	}
	n, err := strconv.ParseUint(f.workers, 10, 32)
	if err != nil {
		return 0, false, fmt.Errorf("invalid --workers %q: expected a number, or %s", f.workers, externalWorkers)
	}
	return uint32(n), false, nil
}

// startWorkers starts workers of the daemon. If all of them fail, it calls fails, which ends the exploration. The caller
// stops the workers.
func (c *cli) startWorkers(ctx context.Context, count uint32, fails context.CancelCauseFunc) (stop func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting workers: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	ended, done := make(chan error, count), make(chan struct{})
	for begun := range int(count) {
		if err := c.startWorker(ctx, program, ended); err != nil {
			end()
			for range begun {
				err = errors.Join(err, <-ended)
			}
			return nil, err
		}
	}
	go func() {
		defer close(done)
		var all []error
		for range count {
			if err := <-ended; err != nil {
				all = append(all, err)
			}
		}
		if len(all) == int(count) && ctx.Err() == nil {
			fails(errors.Join(all...))
		}
	}()
	return func() { end(); <-done }, nil
}

// startWorker starts one worker, and sends its error, or nil, to ended when it exits.
func (c *cli) startWorker(ctx context.Context, program string, ended chan<- error) error {
	says := new(bytes.Buffer)
	cmd := exec.CommandContext(ctx, program, "explore", "worker", "--parallel", "1")
	cmd.Env = append(os.Environ(), c.daemonEnvironment()...)
	cmd.Stderr = says
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = workerPatience
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a worker: %w", err)
	}
	go func() {
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("a worker exited: %w: %s", err, strings.TrimSpace(says.String()))
		}
		ended <- err
	}()
	return nil
}

// exploreWorker returns the command that runs a worker.
func (c *cli) exploreWorker() *cobra.Command {
	var parallel int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run a worker for explorations on this or another machine",
		Long: `Run a worker for explorations on this or another machine.

An exploration with --workers external distributes its runs over all workers of its
daemon, which is the one at --url; its report is the same as that of a single process.
Workers can join or leave at any time; other workers take over their runs.

A worker must have the same version as the daemon. It serves one exploration after the
other until it is interrupted or the daemon ends.`,
		Example: `  canisterd explore worker
  canisterd --url https://explore.example.com:4943 --token-file token explore worker`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				w := daemon.ExploreWorker{Daemon: d.Connection(), Slots: parallel, Say: func(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }}
				w.Dedicate()
				return w.Run(ctx)
			})
			if cmd.Context().Err() != nil {
				return nil //nolint:nilerr // it was asked to end
			}
			return err
		},
	}
	cmd.Flags().IntVar(&parallel, "parallel", runtime.GOMAXPROCS(0), "number of parallel runs (default: one for each processor)")
	return cmd
}
