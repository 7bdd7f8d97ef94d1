package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type execFlags struct {
	instance instanceFlags
	deploy   string
	from     string
}

func (c *cli) exec() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARGUMENTS]",
		Short: "Run a command with an instance of its own, and clean up after it",
		Long: `Run a command with an instance of its own. Where no daemon answers, one is
started for as long as the command runs. The command finds in its environment

  CANISTERD_URL        the daemon, for canisterd itself and for the control API
  CANISTERD_INSTANCE   the name of the instance
  CANISTERD_HTTP       where agents reach the instance
  CANISTERD_ROOT_KEY   the root key of the instance, DER in hex

and with --deploy, CANISTER_ID_NAME for each canister of the folder. The instance
is gone when the command has ended, however it did. The exit code is the
command's.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.execute(cmd.Context(), &f, args) },
	}
	f.instance.add(cmd)
	cmd.Flags().StringVar(&f.deploy, "deploy", "", "deploy the canisters of this folder before")
	cmd.Flags().StringVar(&f.from, "fork", "", "fork this instance, NAME or NAME@SNAPSHOT, instead of making an empty one")
	return cmd
}

// execute leases an instance for as long as a command runs.
func (c *cli) execute(ctx context.Context, f *execFlags, args []string) (err error) {
	end, err := c.ensureDaemon(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	d, err := c.remote()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()                      // nothing is under way
	lease, err := d.HoldLease(context.WithoutCancel(ctx)) // until the command has ended, whatever it was told
	if err != nil {
		return c.explained(err)
	}
	defer lease.Release()
	instance, err := c.leased(ctx, d, f, lease.ID())
	if err != nil {
		return c.explained(err)
	}
	environment := append(os.Environ(),
		"CANISTERD_URL="+c.url, "CANISTERD_INSTANCE="+instance.GetName(),
		"CANISTERD_HTTP="+first(instance.GetUrls()), "CANISTERD_ROOT_KEY="+hex.EncodeToString(instance.GetRootKey()))
	if f.deploy != "" {
		c.instance, c.deployed = instance.GetName(), nil
		done, err := c.deployFolder(ctx, d, f.deploy, &deployFlags{mode: "auto"})
		if err != nil {
			return c.explained(err)
		}
		for name, made := range done {
			environment = append(environment, "CANISTER_ID_"+name+"="+made.ID)
		}
		defer func() { err = errors.Join(err, forgetNames(f.deploy, instance.GetName())) }()
	}
	return c.command(ctx, args, environment)
}

// ensureDaemon starts a daemon of its own where none answers. end stops it.
func (c *cli) ensureDaemon(ctx context.Context) (end func() error, err error) {
	d, err := c.remote()
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // it was only asked
	patience, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err = d.Instances.ListInstances(patience, &controlv1.ListInstancesRequest{PageSize: 1}); remote.Code(err) != codes.Unavailable {
		return func() error { return nil }, c.explained(err)
	}
	own, err := daemon.Start(context.WithoutCancel(ctx), daemon.Config{Listen: "127.0.0.1:0"})
	if err != nil {
		return nil, fmt.Errorf("starting a daemon for the command: %w", err)
	}
	c.url, c.control = own.URL(), ""
	return own.Close, nil
}

// leased makes the instance of a command.
func (c *cli) leased(ctx context.Context, d *remote.Daemon, f *execFlags, lease string) (*controlv1.Instance, error) {
	if f.instance.httpListen == "" {
		f.instance.httpListen = "127.0.0.1:0"
	}
	f.instance.lease = lease
	request, err := f.instance.request("")
	if err != nil {
		return nil, err
	}
	if f.from == "" {
		made, err := d.Instances.CreateInstance(ctx, request)
		return made.GetInstance(), err
	}
	from := c.state(f.from)
	made, err := d.Instances.ForkInstance(ctx, &controlv1.ForkInstanceRequest{
		Instance: from.GetInstance(), Snapshot: from.GetSnapshot(), Pacing: request.GetPacing(), HttpListen: request.GetHttpListen(), Lease: lease,
	})
	return made.GetInstance(), err
}

// killPatience is how long a command that was interrupted may take to end.
const killPatience = 10 * time.Second

// command runs the command and gives its exit code.
func (c *cli) command(ctx context.Context, args, environment []string) error {
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.Env, run.Stdin, run.Stdout, run.Stderr = environment, os.Stdin, c.out, c.err
	run.Cancel = func() error { return terminate(run.Process) }
	run.WaitDelay = killPatience
	err := run.Run()
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited) && exited.ExitCode() > 0:
		return exitCode(exited.ExitCode())
	case err != nil:
		return fmt.Errorf("running %s: %w", args[0], err)
	}
	return nil
}

// terminate asks the command to end. A terminal has interrupted it already; the other signal is for one that ignores that.
func terminate(process *os.Process) error {
	if runtime.GOOS == "windows" { // which has no signals
		return process.Kill()
	}
	return process.Signal(syscall.SIGTERM)
}

// forgetNames takes the ids of an instance that is gone out of a folder's file.
func forgetNames(folder, instance string) error {
	all, err := readNames(folder)
	if err != nil || all[instance] == nil {
		return err
	}
	delete(all, instance)
	return all.write(folder)
}
