package main

import (
	"bytes"
	"cmp"
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

	"github.com/canisterd/canisterd/daemon"
)

const (
	// embeddedServer and embeddedServerURL select a NATS server inside the daemon.
	embeddedServer    = "embedded"
	embeddedServerURL = embeddedServer + "://"
	// exploreServerVariable gives a worker without an argument the URL of its server, which may contain a token.
	exploreServerVariable = "CANISTERD_EXPLORE_SERVER"
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
	cmd.Flags().StringVar(&f.workers, "workers", "", "number of parallel runs (default: one for each processor), the URL of a NATS server with workers, or embedded for a server in the daemon (canisterd explore worker)")
	cmd.Flags().Uint32Var(&f.processes, "worker-processes", 0, "number of worker processes to start on this machine, for --workers embedded or a URL (default: none)")
}

// read returns the number of parallel runs, or the URL of a server.
func (f *workersFlags) read() (count uint32, server string, err error) {
	if f.processes > maxWorkerProcesses {
		return 0, "", fmt.Errorf("invalid --worker-processes %d: the limit is %d", f.processes, maxWorkerProcesses)
	}
	server = f.workers
	if server == embeddedServer || server == "" && f.processes > 0 {
		server = embeddedServerURL
	}
	if strings.Contains(server, "://") {
		return 0, server, nil
	}
	if f.processes > 0 {
		return 0, "", fmt.Errorf("invalid --workers %s: with --worker-processes, expected %s or the URL of a NATS server", f.workers, embeddedServer)
	}
	if server == "" {
		return 0, "", nil
	}
	n, err := strconv.ParseUint(server, 10, 32)
	if err != nil {
		return 0, "", fmt.Errorf("invalid --workers %q: expected a number, %s, or the URL of a NATS server such as nats://127.0.0.1:4222", f.workers, embeddedServer)
	}
	return uint32(n), "", nil
}

// startWorkers starts workers for the server of an exploration. If all of them fail, it calls fails, which ends the
// exploration. The caller stops the workers.
func startWorkers(ctx context.Context, count uint32, server string, fails context.CancelCauseFunc) (stop func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting workers: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	ended, done := make(chan error, count), make(chan struct{})
	for begun := range int(count) {
		if err := startWorker(ctx, program, server, ended); err != nil {
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
func startWorker(ctx context.Context, program, server string, ended chan<- error) error {
	says := new(bytes.Buffer)
	cmd := exec.CommandContext(ctx, program, "explore", "worker", "--parallel", "1")
	cmd.Env = append(os.Environ(), exploreServerVariable+"="+server) // not an argument: others can read those
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
		Use:   "worker [URL]",
		Short: "Run a worker for explorations on this or another machine",
		Long: `Run a worker for explorations on this or another machine.

An exploration with --workers distributes its runs over all workers at the same NATS
server; its report is the same as that of a single process. URL is the one that
canisterd explore --workers embedded prints, or that of a NATS server with JetStream.
Workers can join or leave at any time; other workers take over their runs.

A worker must have the same version as the daemon. With an embedded server it exits when
the exploration ends; at another server it waits for the next exploration.`,
		Example: `  canisterd explore worker nats://TOKEN@127.0.0.1:4222
  canisterd explore worker tls://user:password@nats.example.com:4222`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server := cmp.Or(strings.Join(args, ""), os.Getenv(exploreServerVariable))
			if server == "" {
				return errors.New("no server: pass the URL that canisterd explore --workers embedded prints, or that of a NATS server (environment: " + exploreServerVariable + ")")
			}
			w := daemon.ExploreWorker{Server: server, Slots: parallel, Say: func(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }}
			w.Dedicate()
			err := w.Run(cmd.Context())
			if cmd.Context().Err() != nil {
				return nil //nolint:nilerr // it was asked to end
			}
			return err
		},
	}
	cmd.Flags().IntVar(&parallel, "parallel", runtime.GOMAXPROCS(0), "number of parallel runs (default: one for each processor)")
	return cmd
}
