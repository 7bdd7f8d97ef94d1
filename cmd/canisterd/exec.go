package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type execFlags struct {
	instance instanceFlags
	deploy   string
	from     string
	as       string
	cover    coverFlags
	// around runs the command, with the names of the deployed canisters by id; nil: it runs as it is.
	around func(ctx context.Context, d *remote.Daemon, deployed map[string]string, run func() error) error
}

func (c *cli) exec() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARGUMENTS]",
		Short: "Run a command with an instance of its own",
		Long: `Run a command with an instance of its own. If no daemon answers, one is started and
runs as long as the command. The command has these environment variables:

  CANISTERD_URL        address of the daemon, for canisterd and the control API
  CANISTERD_INSTANCE   name of the instance
  CANISTERD_HTTP       address of the instance for agents
  CANISTERD_ROOT_KEY   root key of the instance, DER in hex

canisterd is on its PATH. With --deploy, CANISTER_ID_MY_BANK is the id of canister
my-bank, and so on. With --as pocket-ic, POCKET_IC_BIN and DFX_POCKET_IC_PATH are paths
of canisterd, for programs that start PocketIC's server, and MOPS_POCKET_IC_URL is the
address of a running one.

Inside the command, canisterd uses this instance by default, with the token of the
daemon. The instance is deleted when the command ends, even if it fails. The exit code
is that of the command: 128 plus the number of the signal if a signal ended it, 127 if
the command is not found, 126 if it cannot be executed. A second interrupt kills the
command.

If the project of --deploy has budgets (docs/profile.md), exec lists those that calls have
exceeded when the command has ended. The exit code is 1 then, if that of the command is 0.`,
		Example: `  canisterd exec --deploy . -- npm test
  canisterd exec --pacing manual --seed 07 -- sh -c 'canisterd time +4w'
  canisterd exec --fork lab@before -- ./explore
  canisterd exec --as pocket-ic -- npm test`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.cover.out != "" {
				return c.executeCovered(cmd.Context(), &f, args)
			}
			return c.execute(cmd.Context(), &f, args)
		},
	}
	f.instance.add(cmd)
	cmd.Flags().StringVar(&f.deploy, "deploy", "", "deploy the canisters of this directory first")
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	cmd.Flags().StringVar(&f.from, "fork", "", "fork this instance, NAME or NAME@SNAPSHOT, instead of creating an empty one")
	cmd.Flags().StringVar(&f.as, "as", "", "make canisterd stand in for another program that the command starts: icp, pocket-ic or all")
	cmd.Flags().StringVar(&f.cover.out, "cover", "", "measure which code of canisters runs, and write it to a file: .info (lcov), .xml (Cobertura), .html or .txt (docs/coverage.md)")
	return sending(cmd)
}

// execute leases an instance while a command runs.
func (c *cli) execute(ctx context.Context, f *execFlags, args []string) (err error) {
	tools, err := toolsOf(f.as)
	if err != nil {
		return err
	}
	asTools, remove, err := standIn(ctx, c, tools)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	d, end, err := c.someDaemon(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	lease, err := d.HoldLease(context.WithoutCancel(ctx)) // until the command has ended, even after a signal
	if err != nil {
		return c.explained(ctx, err)
	}
	defer lease.Release()
	instance, err := c.leased(ctx, d, f, lease.ID())
	if err != nil {
		return c.explained(ctx, err)
	}
	defer c.deleteLeased(ctx, d, instance.GetName())
	c.instance, c.deployed = instance.GetName(), nil
	environment := slices.Concat(withOwnFolder(os.Environ()), c.environment(instance), asTools)
	deployed := map[string]string{}
	if f.deploy != "" {
		defer func() { err = errors.Join(err, forgetNames(f.deploy, instance.GetNetworkId())) }()
		done, err := c.deployFolder(ctx, d, f.deploy, &deployFlags{mode: "auto"}, c.noteDone)
		if err != nil {
			return c.explained(ctx, err)
		}
		ids, err := idVariables(done)
		if err != nil {
			return err
		}
		environment = append(environment, ids...)
		for name, made := range done {
			deployed[made.ID] = name
		}
		if err := c.nameModules(ctx, d, &f.cover, deployed); err != nil {
			return err
		}
	}
	run := func() error { return c.command(ctx, args, environment) }
	if f.deploy != "" {
		if run, err = c.withinBudgets(ctx, d, f.deploy, deployed, run); err != nil {
			return c.explained(ctx, err)
		}
	}
	if f.around != nil {
		return f.around(ctx, d, deployed, run)
	}
	return run()
}

// during observes an instance while a command runs: the instance that is selected, or without one an instance of the
// command's own. observe runs the command; it gets the names of canisters by id that the current directory does not have.
func (c *cli) during(ctx context.Context, f *execFlags, args []string, observe func(ctx context.Context, d *remote.Daemon, deployed map[string]string, run func() error) error) error {
	if c.instance == "" {
		f.around = observe
		return c.execute(ctx, f, args)
	}
	if f.from != "" || f.deploy != "" {
		return fmt.Errorf("--deploy and --fork are for an instance of its own, and -i names instance %q: leave out one of them", c.instance)
	}
	return c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
		if err != nil {
			return err
		}
		environment := append(withOwnFolder(os.Environ()), c.environment(got.GetInstance())...)
		return observe(ctx, d, c.known().names, func() error { return c.command(ctx, args, environment) })
	})
}

// environment returns what a command needs to reach its instance as this one does.
func (c *cli) environment(instance *controlv1.Instance) []string {
	return append(
		c.daemonEnvironment(), "CANISTERD_INSTANCE="+instance.GetName(),
		"CANISTERD_HTTP="+first(instance.GetUrls()), "CANISTERD_ROOT_KEY="+hex.EncodeToString(instance.GetRootKey()),
		coverdir.Variable+"="+c.coverDir,
	)
}

// daemonEnvironment returns what a command needs to reach the same daemon. Empty is the same as unset: our own daemon is
// not the one in the user's environment.
func (c *cli) daemonEnvironment() []string {
	return []string{"CANISTERD_URL=" + c.url, "CANISTERD_CONTROL=" + c.control, "CANISTERD_TOKEN_FILE=" + c.tokenFile, "CANISTERD_TLS_ROOTS=" + c.roots}
}

// idVariables returns the ids of canisters as variables with names that shells accept.
func idVariables(done map[string]deployment) (variables []string, err error) {
	given := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(done)) {
		variable := "CANISTER_ID_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if other := given[variable]; other != "" {
			return nil, fmt.Errorf("canisters %s and %s have the same environment variable %s: rename one of them", other, name, variable)
		}
		given[variable] = name
		variables = append(variables, variable+"="+done[name].ID)
	}
	return variables, nil
}

// someDaemon connects to the daemon, or to one of its own if none answers. end closes the connection and stops that.
func (c *cli) someDaemon(ctx context.Context) (d *remote.Daemon, end func() error, err error) {
	stop, err := c.ensureDaemon(ctx)
	if err != nil {
		return nil, nil, err
	}
	if d, err = c.remote(); err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return d, func() error {
		_ = d.Close() // nothing is in progress
		return stop()
	}, nil
}

// ensureDaemon starts its own daemon if none answers. end stops it.
func (c *cli) ensureDaemon(ctx context.Context) (end func() error, err error) {
	if c.coverDir != "" { // a daemon that runs already does not measure
		return c.ownDaemon(ctx)
	}
	if err := c.reached(ctx); remote.Code(err) != codes.Unavailable {
		return func() error { return nil }, c.explained(ctx, err)
	}
	return c.ownDaemon(ctx)
}

// reached asks the daemon a question. The error has the code Unavailable if none answers.
func (c *cli) reached(ctx context.Context) error {
	d, err := c.remote()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // only for this question
	ctx, cancel := patient(ctx, time.Second)
	defer cancel()
	_, err = d.Instances.ListInstances(ctx, &controlv1.ListInstancesRequest{PageSize: 1})
	return err
}

// ownDaemon starts a daemon that runs until end.
func (c *cli) ownDaemon(ctx context.Context) (end func() error, err error) {
	own, err := daemon.Start(context.WithoutCancel(ctx), daemon.Config{
		Listen: "127.0.0.1:0", CoverDir: c.coverDir, Control: daemon.Control{KnownModules: daemon.KnownModulesFile()},
	})
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

// deleteLeased deletes an instance and waits until it is gone; its lease would delete it only later.
func (c *cli) deleteLeased(ctx context.Context, d *remote.Daemon, instance string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killPatience)
	defer cancel()
	_, err := d.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: instance})
	if err != nil && remote.Code(err) != codes.NotFound {
		c.note("note: instance %s could not be deleted before its lease ends: %v", instance, c.explained(ctx, err))
	}
}

// killPatience is how long an interrupted command may take to end.
const killPatience = 10 * time.Second

// signalled is the number that shells add to the signal that ended a command.
const signalled = 128

// command runs the command and returns its exit code as an error.
func (c *cli) command(ctx context.Context, args, environment []string) error {
	path, err := found(args[0], environment)
	if err != nil {
		return err
	}
	run := exec.CommandContext(ctx, path, args[1:]...)
	run.Args[0] = args[0]
	run.Env, run.Stdin, run.Stdout, run.Stderr = environment, os.Stdin, c.out, c.err
	again := make(chan os.Signal, 1)
	ended := make(chan struct{})
	defer close(ended)
	run.Cancel = func() error {
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		go killWhen(run.Process, again, ended)
		return terminate(run.Process)
	}
	run.WaitDelay = killPatience
	defer signal.Stop(again)
	err = run.Run()
	if run.ProcessState == nil {
		return &unrunnable{args[0], err}
	}
	// Whatever signal it got, the command ended with its own status.
	if status, ok := run.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitCode(signalled + int(status.Signal()))
	}
	if code := run.ProcessState.ExitCode(); code != exitOK {
		return exitCode(code)
	}
	return nil
}

// killWhen kills a command when its user stops waiting for it.
func killWhen(process *os.Process, again <-chan os.Signal, ended <-chan struct{}) {
	select {
	case <-again:
		_ = process.Kill() // it may have ended already
	case <-ended:
	}
}

// terminate asks the command to end. A terminal has interrupted it already; this signal is for commands that ignore
// that.
func terminate(process *os.Process) error {
	if runtime.GOOS == "windows" { // it has no signals
		return process.Kill()
	}
	return process.Signal(syscall.SIGTERM)
}

// forgetNames removes the ids of a deleted network from a folder's file.
func forgetNames(folder, network string) error {
	s, err := deployed.Read(folder)
	if err != nil || !s.Has(network) {
		return err
	}
	s.Forget(network)
	return s.Write(folder)
}
