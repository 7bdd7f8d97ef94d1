package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/systemcanisters"
)

const (
	launcherName = "network-launcher"
	// launcherLink is a name under which the program is the launcher.
	launcherLink = "canisterd-launcher"
	// launcherInterface is the newest supported version of icp-cli's interface to network launchers.
	launcherInterface = "1.1.0"
	// launcherVersionVariable is the variable that holds the interface version in a container, where no flag is passed.
	launcherVersionVariable = "ICP_CLI_NETWORK_LAUNCHER_INTERFACE_VERSION"
	// launcherStatusDir is the folder of the status file in a container, where no flag is passed.
	launcherStatusDir = "/app/status"
	launcherPort      = 4943
	// maxArtificialDelay is the longest time between two rounds, in milliseconds: an hour.
	maxArtificialDelay = 3_600_000
)

// calledLauncher matches the names by which the program is icp-cli's network launcher.
var calledLauncher = regexp.MustCompile(`^(?:icp-cli|canisterd)-(?:network-)?launcher(?:\.exe)?$`)

// asLauncher rewrites the arguments of a program that was called by a name of the network launcher to the command for
// it.
func asLauncher(name string, args []string) []string {
	if !calledLauncher.MatchString(filepath.Base(name)) || len(args) > 0 && args[0] == compileWorkerName {
		return args
	}
	return append([]string{launcherName}, args...)
}

// asCalled rewrites the arguments of a program to the command that its name stands for, if it does.
func asCalled(name string, args []string) []string {
	if calledLauncher.MatchString(filepath.Base(name)) {
		return asLauncher(name, args)
	}
	return asPocket(name, args)
}

// launcherFlags are the flags of icp-cli's network launcher.
type launcherFlags struct {
	version, stateDir, bind, statusDir string
	gatewayPort, configPort            uint16
	verbose, ii, nns                   bool
	delay                              uint64
	subnets, bitcoind, dogecoind       []string
	domains                            []string
}

// launcher is `canisterd network-launcher`, whose flags are icp-cli's.
func (c *cli) launcher() *cobra.Command {
	return &cobra.Command{
		Use:                launcherName,
		Short:              "Run a network for icp-cli, in place of its network launcher",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			inner := c.launcherServer(args)
			inner.SetArgs(args)
			inner.SetOut(c.out)
			inner.SetErr(c.err)
			return inner.ExecuteContext(cmd.Context())
		},
	}
}

// launcherServer is the same with its own flags.
func (c *cli) launcherServer(args []string) *cobra.Command {
	var f launcherFlags
	cmd := &cobra.Command{
		Use:   "canisterd " + launcherName,
		Short: "Run a network for icp-cli, in place of its network launcher",
		Long: `Run a network for icp-cli, in place of its network launcher. icp-cli finds it through the
variable ICP_CLI_NETWORK_LAUNCHER_PATH: a link to canisterd named canisterd-launcher runs
this command. The network has the ICP ledger, the cycles ledger, the cycles minting
canister and the registry.`,
		Example: `  canisterd network-launcher --gateway-port 8000
  canisterd network-launcher --gateway-port 0 --status-dir ./status`,
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		// A newer icp-cli may know more flags than this launcher does.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.launch(cmd.Context(), &f, unknownFlags(cmd, args))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.version, "interface-version", os.Getenv(launcherVersionVariable), "version of the interface that icp-cli uses (environment: "+launcherVersionVariable+")")
	flags.StringVar(&f.stateDir, "state-dir", "", "accepted for compatibility and ignored: the state is in memory")
	flags.StringVar(&f.bind, "bind", "", "address to listen on (default: 127.0.0.1; in containers, all addresses)")
	flags.Uint16Var(&f.gatewayPort, "gateway-port", 0, "port to listen on; 0 picks a free port (default in containers: 4943)")
	flags.Uint16Var(&f.configPort, "config-port", 0, "accepted for compatibility and ignored: the control API is at --gateway-port")
	flags.StringVar(&f.statusDir, "status-dir", "", "directory for status.json and custom-domains.txt (default in containers: /app/status)")
	flags.BoolVar(&f.verbose, "verbose", false, "log every request")
	flags.BoolVar(&f.ii, "ii", false, "install Internet Identity from the directory that "+systemcanisters.FolderVariable+" names")
	flags.BoolVar(&f.nns, "nns", false, "not supported: canisterd has no NNS canisters except the ledger, the registry and the cycles minting canister")
	flags.Uint64Var(&f.delay, "artificial-delay-ms", 0, "milliseconds between rounds; 0 runs a round as soon as there is work")
	flags.StringArrayVar(&f.subnets, "subnet", nil, "subnets, by kind; repeatable (default: application)")
	flags.StringArrayVar(&f.bitcoind, "bitcoind-addr", nil, "not supported: canisterd has no Bitcoin adapter")
	flags.StringArrayVar(&f.dogecoind, "dogecoind-addr", nil, "not supported: canisterd has no Dogecoin adapter")
	flags.StringArrayVar(&f.domains, "domain", nil, "serve canisters at CANISTER.DOMAIN in addition to CANISTER.localhost; repeatable")
	return cmd
}

// unknownFlags returns the flags among arguments that a command does not have.
func unknownFlags(cmd *cobra.Command, args []string) []string {
	var unknown []string
	for _, arg := range args {
		name, long := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if long && name != "" && cmd.Flags().Lookup(name) == nil {
			unknown = append(unknown, "--"+name)
		}
	}
	return unknown
}

// launch runs a network until it is told to end.
func (c *cli) launch(ctx context.Context, f *launcherFlags, unknown []string) error {
	if err := f.check(unknown); err != nil {
		return err
	}
	for _, flag := range unknown {
		c.note("warning: ignoring the unknown flag %s: icp-cli uses version %s of the interface, canisterd version %s", flag, f.version, launcherInterface)
	}
	config, err := f.config()
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	config.Log = slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
	d, err := startDaemon(ctx, config)
	if err != nil {
		return err
	}
	if err := f.writeStatus(d); err != nil {
		return errors.Join(err, d.Close())
	}
	select {
	case <-ctx.Done():
	case <-d.Failed():
	}
	return d.Close()
}

// check refuses options that canisterd does not support.
func (f *launcherFlags) check(unknown []string) error {
	switch newer, err := newerInterface(f.version); {
	case err != nil:
		return err
	case len(unknown) > 0 && !newer:
		return fmt.Errorf("unknown flag %s: version %s of the interface does not have it", unknown[0], f.version)
	case f.nns:
		return fmt.Errorf("--nns: canisterd has no governance (%s), SNS (%s) or NNS frontend (%s): remove the flag; the ledgers, the registry and the cycles minting canister are always there",
			systemcanisters.Elsewhere("nns_governance"), systemcanisters.Elsewhere("sns"), systemcanisters.Elsewhere("nns_ui"))
	case len(f.bitcoind)+len(f.dogecoind) > 0:
		return errors.New("--bitcoind-addr, --dogecoind-addr: canisterd has no Bitcoin or Dogecoin adapter: remove the flags")
	}
	return nil
}

// newerInterface reports whether a version of the interface is newer than the supported one; it refuses versions with
// another first number.
func newerInterface(version string) (bool, error) {
	given, err := versionNumbers(version)
	if err != nil {
		return false, err
	}
	known, err := versionNumbers(launcherInterface)
	if err != nil {
		return false, err
	}
	if given[0] != known[0] {
		return false, fmt.Errorf("unsupported --interface-version %s: canisterd supports 1.x.y; use a version of icp-cli with that interface", version)
	}
	return slices.Compare(given, known) > 0, nil
}

func versionNumbers(version string) ([]int, error) {
	parts := strings.Split(version, ".")
	numbers := make([]int, len(parts))
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || len(parts) != 3 || n < 0 {
			return nil, fmt.Errorf("invalid --interface-version %q: expected three numbers, such as %s", version, launcherInterface)
		}
		numbers[i] = n
	}
	return numbers, nil
}

// contained reports whether icp-cli runs the launcher in a container, without flags for paths and addresses.
func (f *launcherFlags) contained() bool { return os.Getenv(launcherVersionVariable) != "" }

// config returns the configuration of the daemon.
func (f *launcherFlags) config() (daemon.Config, error) {
	if f.contained() && f.statusDir == "" {
		f.statusDir = launcherStatusDir
	}
	if f.statusDir == "" {
		return daemon.Config{}, errors.New("--status-dir is required: the directory from which icp-cli reads status.json")
	}
	address, port := f.bind, f.gatewayPort
	if address == "" {
		address = "127.0.0.1"
		if f.contained() {
			address = ""
		}
	}
	if f.contained() && port == 0 {
		port = launcherPort
	}
	names := f.subnets
	if len(names) == 0 {
		names = []string{"application"}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "nns" })
	kinds, err := daemon.ParseSubnets(kindsOfLauncher(append([]string{"nns"}, names...)))
	if err != nil {
		return daemon.Config{}, fmt.Errorf("--subnet: %w", err)
	}
	system := systemcanisters.All()
	if f.ii {
		system = append(system, systemcanisters.InternetIdentity)
	}
	config := daemon.Config{
		Listen: net.JoinHostPort(address, strconv.Itoa(int(port))), Subnets: kinds, SystemCanisters: system, SystemModules: os.Getenv(systemcanisters.FolderVariable),
		OutcallsLocal: true, CompileWorker: compileWorker(),
		Gateway: daemon.Gateway{Domains: f.domains, DomainsFile: filepath.Join(f.statusDir, "custom-domains.txt")},
	}
	if address == "" {
		config.Control.Address = "off" // other machines reach the port
	}
	if f.delay > 0 {
		config.Pacing, config.Interval = daemon.Interval, time.Duration(min(f.delay, maxArtificialDelay))*time.Millisecond
	}
	return config, nil
}

// kindsOfLauncher converts kinds of subnets for canisterd.
func kindsOfLauncher(names []string) []string {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = strings.ReplaceAll(name, "-", "_")
	}
	return plain
}

// launcherStatus is the file that icp-cli reads when the network is ready.
type launcherStatus struct {
	Version     string   `json:"v"`
	InstanceID  *uint64  `json:"instance_id"`
	ConfigPort  *uint16  `json:"config_port"`
	GatewayPort int      `json:"gateway_port"`
	RootKey     string   `json:"root_key"`
	Default     string   `json:"default_effective_canister_id"`
	Features    []string `json:"supported_features"`
}

// writeStatus writes status.json, one line: at its end, readers take it for complete.
func (f *launcherFlags) writeStatus(d *daemon.Daemon) error {
	text, err := json.Marshal(launcherStatus{
		Version: "1", GatewayPort: d.Port(), RootKey: fmt.Sprintf("%x", d.RootKey()), Default: d.Driver().View().DefaultCanister().String(),
		Features: []string{"custom-domains"},
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.statusDir, 0o755); err != nil {
		return fmt.Errorf("creating the status directory: %w", err)
	}
	path := filepath.Join(f.statusDir, "status.json")
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}
