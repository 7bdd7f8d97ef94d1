package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	"github.com/canisterd/canisterd/internal/quantity"
	"github.com/canisterd/canisterd/internal/systemcanisters"
)

type startFlags struct {
	listen, stateDir, cacheDir string
	ephemeral                  bool
	subnets, admins, system    []string
	outcalls                   string
	reach                      reachFlags
	seed                       string
	rateLimits                 bool
	control                    daemon.Control
	tokenFile                  string
	memoryLimit                string
	telemetry                  telemetryFlags
	deploy, call               string
	checkpointBytes            int64
	gateway                    gatewayFlags
	inspector                  daemon.Inspector
	history                    retentionFlags
	background                 bool
	backgroundLog              string // of the copy of the command that is the daemon
}

// memoryDirUsage describes --memory-dir.
const memoryDirUsage = "directory on the daemon's machine for canister memory while the daemon runs (default: in RAM)"

// memoryLimitUsage describes --memory-limit.
const memoryLimitUsage = "maximum memory of the daemon, not counting canister memory, such as 4GiB (at least 128MiB; default: half the memory of this machine or cgroup); above it, messages are refused"

// systemUsage describes --system-canisters of all commands that make networks.
const systemUsage = "system canisters to install at their mainnet ids, comma-separated: registry, icp_token, cycles_minting, cycles_token, all (these four) or ii (its module must be in the directory that " + systemcanisters.FolderVariable + " names); the subnets they need are added (default: none)"

func (c *cli) start() *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Run a local Internet Computer until stopped",
		Long: `Run a local Internet Computer until stopped.

Canisters and their state are in a state directory, by default in the user's data
directory, and survive a restart, even after a crash. So do instances that are created
later, unless they are ephemeral. canisterd state checks and repairs the state directory.
With --ephemeral, everything is in memory and lost when the daemon stops.

With --background, the daemon runs until canisterd stop. Its log, of at most 8 MiB, is
` + daemon.LogFile + ` in the state directory, or with --ephemeral a temporary file. If a daemon with the
same flags already runs at the address, the command says so and succeeds.`,
		Example: `  canisterd start
  canisterd start --background --deploy .
  canisterd start --state-dir ./state --listen 127.0.0.1:0
  canisterd start --ephemeral --seed 07 --subnet nns,application,application`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.background {
				return c.startInBackground(cmd, &f)
			}
			return c.serve(cmd, f)
		},
	}
	f.add(c, cmd)
	return sending(cmd)
}

// add adds the flags of a daemon to a command.
func (f *startFlags) add(c *cli, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", daemon.DefaultListen, "address to listen on, host:port; port 0 picks a free port")
	flags.StringVar(&f.stateDir, "state-dir", "", "directory for the state of the network (default: canisterd/state in the user's data directory)")
	flags.BoolVar(&f.ephemeral, "ephemeral", false, "keep the network in memory only")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory for compiled modules (default: the user's cache directory)")
	flags.StringSliceVar(&f.subnets, "subnet", nil, subnetUsage)
	flags.StringSliceVar(&f.admins, "subnet-admin", nil, "make this principal an admin of application and cloud-engine subnets, which then charge no fees; repeatable or comma-separated (default: none)")
	flags.StringSliceVar(&f.system, "system-canisters", nil, systemUsage)
	flags.StringVar(&f.outcalls, "outcalls", daemon.AllowOutcalls.String(), "HTTP outcall mode: allow, hold, deny, replicated or strict (docs/outcalls.md)")
	f.reach.add(cmd, "none of them")
	f.gateway.add(cmd)
	f.history.add(cmd)
	flags.BoolVar(&f.inspector.Everywhere, "inspect", false, "serve the inspector even if other machines can reach the address of --listen: anyone with its token controls all instances")
	flags.StringSliceVar(&f.inspector.Hosts, "inspect-host", nil, "also serve the inspector at this host, such as that of a proxy; repeatable or comma-separated (default: localhost and loopback addresses)")
	flags.StringVar(&f.seed, "seed", "", seedUsage)
	flags.BoolVar(&f.rateLimits, "rate-limits", false, rateLimitsUsage)
	flags.StringVar(&f.control.Address, "control", "", "address of the control API (gRPC): host:port, unix:///PATH or off (default: that of --listen if only this machine can reach it, else off)")
	flags.StringVar(&f.control.Certificate, "control-tls-cert", "", "TLS certificate file for the control API")
	flags.StringVar(&f.control.Key, "control-tls-key", "", "private key file for --control-tls-cert")
	flags.StringVar(&f.tokenFile, "control-token-file", "", "file with the token that clients of the control API must send (environment: CANISTERD_CONTROL_TOKEN, the token itself)")
	flags.BoolVar(&f.control.Insecure, "insecure-control", false, "allow other machines to use the control API without TLS or a token: they can control everything")
	flags.StringVar(&f.memoryLimit, "memory-limit", "", memoryLimitUsage)
	flags.StringVar(&f.deploy, "deploy", "", "deploy the canisters of this directory after the start, as canisterd deploy does")
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	flags.StringVar(&f.call, "call", "", "after the start and --deploy, call a method and print the reply: 'CANISTER METHOD [ARGUMENTS]'")
	flags.Int64Var(&f.checkpointBytes, "checkpoint-bytes", 0, "size of records after which a checkpoint is written (default: 64 MiB)")
	_ = flags.MarkHidden("checkpoint-bytes") // for tests, which have few records; the flag exists
	f.addBackground(cmd)
	f.telemetry.add(cmd)
	flags.Lookup("verbose").Usage += "; print the seed and the root key"
}

// ready is the line that --json prints once requests are served.
type ready struct {
	URL     string          `json:"url"`
	Control string          `json:"control,omitempty"`
	Inspect string          `json:"inspector,omitempty"` // with the token
	RootKey string          `json:"root_key"`
	Seed    string          `json:"seed"`
	Subnets []daemon.Subnet `json:"subnets"`
	State   string          `json:"state_dir"`     // "" with --ephemeral
	Log     string          `json:"log,omitempty"` // of a daemon in the background
}

// stateFolder returns the state directory that the flags select, "" for none.
func (f *startFlags) stateFolder() (string, error) {
	switch {
	case f.ephemeral && f.stateDir != "":
		return "", fmt.Errorf("use either --ephemeral or --state-dir %s, not both", f.stateDir)
	case f.ephemeral && f.history != retentionFlags{}:
		return "", errors.New("--history-age, --history-records and --history-checkpoints cannot be used with --ephemeral")
	case f.ephemeral:
		return "", nil
	case f.stateDir != "":
		if err := daemon.MakeStateDir(f.stateDir); err != nil {
			return "", fmt.Errorf("--state-dir %s cannot be used: %w", f.stateDir, err)
		}
		return f.stateDir, nil
	}
	dir, err := daemon.OwnStateDir()
	if err != nil {
		return "", fmt.Errorf("no directory for the state: %w; pass --state-dir or --ephemeral", err)
	}
	return dir, nil
}

// daemonConfig returns the configuration of the daemon that the flags describe, without its gateway.
func (c *cli) daemonConfig(f *startFlags) (config daemon.Config, err error) {
	config = daemon.Config{
		Listen: f.listen, Control: f.control, CacheDir: f.cacheDir, RateLimits: f.rateLimits, CheckpointBytes: f.checkpointBytes,
		OutcallsLocal: f.reach.local, OutcallTargets: f.reach.targets, CompileWorker: compileWorker(),
		SystemModules: os.Getenv(systemcanisters.FolderVariable), CoverDir: os.Getenv(coverdir.Variable),
	}
	if config.Subnets, err = daemon.ParseSubnets(f.subnets); err != nil {
		return config, err
	}
	if config.SystemCanisters, err = systemcanisters.Parse(f.system); err != nil {
		return config, fmt.Errorf("--system-canisters: %w", err)
	}
	if config.Admins, err = daemon.ParseAdmins(f.admins); err != nil {
		return config, err
	}
	if config.Outcalls, err = daemon.ParseOutcalls(f.outcalls); err != nil {
		return config, err
	}
	if f.memoryLimit != "" {
		if config.MemoryLimit, err = quantity.ParseBytes(f.memoryLimit); err != nil {
			return config, fmt.Errorf("--memory-limit: %w", err)
		}
	}
	if config.Seed, err = parseSeed(f.seed); err != nil {
		return config, err
	}
	if config.Log, err = f.telemetry.logger(c.err, c.json); err != nil {
		return config, err
	}
	if config.Spans, err = f.telemetry.spans(); err != nil {
		return config, err
	}
	if config.Retention, err = f.history.retention(); err != nil {
		return config, err
	}
	if config.Control.Token, err = tokenOf(f.tokenFile); err != nil {
		return config, err
	}
	config.StateDir, err = f.stateFolder()
	return config, err
}

// startedDaemon is a daemon that runs in this process, and is recorded for canisterd stop.
type startedDaemon struct {
	*daemon.Daemon
	stateDir string // "": nothing is kept
	forget   func() // removes the record
}

// startOwn starts the daemon that flags describe. The set is of the command, for its record.
func (c *cli) startOwn(ctx context.Context, f *startFlags, set *pflag.FlagSet) (*startedDaemon, error) {
	config, err := c.daemonConfig(f)
	if err != nil {
		return nil, err
	}
	var serving atomic.Pointer[daemon.Daemon]
	config.Gateway = f.gateway.config(f.deploy, serving.Load)
	config.Inspector = c.inspectorConfig(f, serving.Load)
	if config.Assistants, err = c.assistantsConfig(); err != nil {
		return nil, err
	}
	d, err := startDaemon(ctx, config)
	if err != nil {
		return nil, err
	}
	serving.Store(d)
	forget, err := register(&running{URL: d.URL(), StateDir: config.StateDir, Log: f.backgroundLog}, set)
	if err != nil {
		c.note("note: `canisterd stop` will not find this daemon: %v", err)
		forget = func() {}
	}
	return &startedDaemon{d, config.StateDir, forget}, nil
}

// stop stops the daemon. Its record is removed last.
func (d *startedDaemon) stop() error {
	defer d.forget()
	return d.Close()
}

// serve runs the daemon until the context ends or it fails.
func (c *cli) serve(cmd *cobra.Command, f startFlags) error {
	ctx := cmd.Context()
	if f.backgroundLog != "" {
		log, err := openBoundedLog(f.backgroundLog, maxLogBytes)
		if err != nil {
			return err
		}
		c.err = log
	}
	d, err := c.startOwn(ctx, &f, cmd.LocalNonPersistentFlags())
	if err != nil {
		return err
	}
	said := ready{d.URL(), d.ControlAddress(), d.InspectorURL(), fmt.Sprintf("%x", d.RootKey()), fmt.Sprintf("%x", d.Seed()), d.Subnets(), d.stateDir, f.backgroundLog}
	if err := c.print(banner(d.Daemon, &f, d.stateDir), said); err != nil {
		return errors.Join(err, d.stop())
	}
	if err := c.populate(ctx, d.URL(), &f); err != nil {
		return errors.Join(err, d.stop())
	}
	if f.backgroundLog != "" {
		if err := c.handOver(); err != nil {
			return errors.Join(err, d.stop())
		}
	}
	select {
	case <-ctx.Done():
		c.note("stopping; %s", fateOfState(d.stateDir))
	case <-d.Failed():
	}
	return d.stop()
}

// fateOfState says what happens to state when a daemon with this state directory stops, "" for none.
func fateOfState(stateDir string) string {
	if stateDir == "" {
		return "canisters and their state are discarded"
	}
	return "canisters and their state are kept in " + stateDir
}

// populate runs the deployment and the call of --deploy and --call.
func (c *cli) populate(ctx context.Context, address string, f *startFlags) error {
	var commands [][]string
	if f.deploy != "" {
		commands = append(commands, []string{"deploy", f.deploy, fmt.Sprintf("--allow-outside=%t", c.anywhere), "--network=" + c.projectNetwork})
	}
	if f.call != "" {
		commands = append(commands, append([]string{"canister", "call"}, strings.SplitN(f.call, " ", 3)...))
	}
	for _, args := range commands {
		client := &cli{out: c.out, err: c.err, folder: f.deploy}
		root := client.root()
		args = append(args, "--url", address, "--control", f.control.Address, "--instance", "", fmt.Sprintf("--json=%t", c.json))
		root.SetArgs(args)
		if err := root.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tokenOf returns the token in a file, or the one in the environment if no file is named.
func tokenOf(file string) (string, error) {
	if file == "" {
		return os.Getenv("CANISTERD_CONTROL_TOKEN"), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s is empty: write the token into it", file)
	}
	return token, nil
}

// documentation is the address of the documentation.
const documentation = "https://github.com/canisterd/canisterd#readme"

// banner describes a daemon that is ready, for people.
func banner(d *daemon.Daemon, f *startFlags, stateDir string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "canisterd %s; documentation: %s\n\nhttp      %s\n", daemon.Version(), documentation, d.URL())
	fmt.Fprintf(&text, "pages     http://CANISTER.localhost:%d\n", d.Port())
	if d.InspectorURL() != "" {
		fmt.Fprintf(&text, "inspector %s\n", d.InspectorURL())
	}
	if d.ControlAddress() != "" {
		fmt.Fprintf(&text, "control   %s (gRPC)\n", d.ControlAddress())
	}
	for _, s := range d.Subnets() {
		fmt.Fprintf(&text, "subnet    %s (%s), canisters from %s\n", s.ID, s.Kind, s.First)
	}
	if f.telemetry.verbose {
		fmt.Fprintf(&text, "root key  %x\nseed      %x\n", d.RootKey(), d.Seed())
	}
	if stateDir == "" {
		text.WriteString("state     in memory: canisters are gone when this stops (--ephemeral)\n")
	} else {
		fmt.Fprintf(&text, "state     kept in %s\n", stateDir)
	}
	if f.backgroundLog != "" {
		fmt.Fprintf(&text, "log       %s\n\nready in the background; stop it with %s", f.backgroundLog, stopCommand(d.URL()))
		return text.String()
	}
	text.WriteString("\nready; stop with Ctrl-C or canisterd stop")
	return text.String()
}
