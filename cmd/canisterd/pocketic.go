package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/cmd/canisterd/internal/portfile"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	"github.com/canisterd/canisterd/internal/quantity"
	"github.com/canisterd/canisterd/internal/systemcanisters"
)

const (
	pocketName = "pocket-ic"
	// pocketVersion is the version of PocketIC's server that canisterd replaces.
	pocketVersion = "16.1.0"
	// exitHardTTL is the exit code of a server whose time is over, whatever it is doing.
	exitHardTTL = 124
)

// calledPocket matches the names by which the program is PocketIC's server, with the version it must report.
var calledPocket = regexp.MustCompile(`^pocket-ic(?:-server)?(?:-head-nns)?(?:-(\d+\.\d+\.\d+))?(?:\.exe)?$`)

// asPocket rewrites the arguments of a program that was called by a name of PocketIC's server to the command for it.
func asPocket(name string, args []string) []string {
	match := calledPocket.FindStringSubmatch(filepath.Base(name))
	if match == nil || len(args) > 0 && args[0] == compileWorkerName {
		return args
	}
	as := []string{pocketName}
	if match[1] != "" {
		as = append(as, "--report-version", match[1])
	}
	return append(as, args...)
}

// pocketFlags are the flags of PocketIC's server, and ours.
type pocketFlags struct {
	address, portFile string
	port              uint16
	ttl, hardTTL      uint64
	logLevels         string
	version           string
	showVersion       bool
	origins           []string
	memoryLimit       string

	routingTable    string
	fetchTable      bool
	registryVersion uint64
}

// pocket is `canisterd pocket-ic`, whose flags have letters of other commands' flags.
func (c *cli) pocket() *cobra.Command {
	return &cobra.Command{
		Use:                pocketName,
		Short:              "Serve PocketIC's REST interface, in place of its server",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			inner := c.pocketServer()
			inner.SetArgs(args)
			inner.SetOut(c.out)
			inner.SetErr(c.err)
			return inner.ExecuteContext(cmd.Context())
		},
	}
}

// pocketServer is the same with its own flags.
func (c *cli) pocketServer() *cobra.Command {
	var f pocketFlags
	cmd := &cobra.Command{
		Use:   "canisterd " + pocketName,
		Short: "Serve PocketIC's REST interface, in place of its server",
		Long: `Serve PocketIC's REST interface, in place of its server. Clients find it through
POCKET_IC_BIN: a link to canisterd named pocket-ic, pocket-ic-server or pocket-ic-X.Y.Z
runs this command.`,
		Example: `  canisterd pocket-ic --port 8081 --ttl 3600
  canisterd pocket-ic --port-file ./port`,
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.servePocket(cmd.Context(), &f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.address, "ip-addr", "i", "127.0.0.1", "address to listen on")
	flags.Uint16VarP(&f.port, "port", "p", 0, "port to listen on; 0 picks a free port")
	flags.StringVar(&f.portFile, "port-file", "", "file to write the port to; if a server already listens on the port in it, this one exits")
	flags.Uint64Var(&f.ttl, "ttl", 60, "seconds without a request after which the server exits")
	flags.Uint64Var(&f.hardTTL, "hard-ttl", 0, "seconds after which the server exits with code 124; 0 for no limit")
	flags.StringVarP(&f.logLevels, "log-levels", "l", "info", "log level, such as debug, or levels by name as for PocketIC, such as pocket_ic_server=debug (environment: RUST_LOG, which takes precedence)")
	flags.StringVar(&f.version, "report-version", envOr("CANISTERD_POCKET_IC_VERSION", pocketVersion), "version of PocketIC to report, for clients that require one (environment: CANISTERD_POCKET_IC_VERSION)")
	flags.BoolVarP(&f.showVersion, "version", "V", false, "print the version")
	flags.StringSliceVar(&f.origins, "allow-origin", nil, "allow pages of this origin besides those of this machine; repeatable or comma-separated: SCHEME://HOST[:PORT], or * for all; such pages can read and write this user's files (default: none)")
	flags.StringVar(&f.memoryLimit, "memory-limit", "", memoryLimitUsage)
	flags.StringVar(&f.routingTable, "mainnet-routing-table", "", "accepted for compatibility and ignored: mainnet's ranges of canister ids are built in")
	flags.BoolVar(&f.fetchTable, "fetch-mainnet-routing-table", false, "accepted for compatibility and ignored: mainnet's ranges of canister ids are built in")
	flags.Uint64Var(&f.registryVersion, "mainnet-registry-version", 0, "accepted for compatibility and ignored: mainnet's ranges of canister ids are built in")
	return cmd
}

// servePocket serves until it is told to end, or has been idle for too long.
func (c *cli) servePocket(ctx context.Context, f *pocketFlags) error {
	if f.showVersion {
		_, err := fmt.Fprintf(c.out, "pocket-ic-server %s\n", f.version)
		return err
	}
	if f.hardTTL > 0 {
		time.AfterFunc(seconds(f.hardTTL), func() { os.Exit(exitHardTTL) })
	}
	// The client that started the server reads its output. If it is killed, others still use the server.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	publish, remove, err := portfile.Claim(ctx, f.portFile)
	if errors.Is(err, fs.ErrExist) {
		return nil // another server serves the readers of the file
	}
	if err != nil {
		return err
	}
	defer remove()
	log, err := pocketLog(c.out, f.logLevels)
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(f.version, ".")
	major, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("invalid --report-version %q: expected MAJOR.MINOR.PATCH, such as %s", f.version, pocketVersion)
	}
	var memoryLimit int64
	if f.memoryLimit != "" {
		if memoryLimit, err = quantity.ParseBytes(f.memoryLimit); err != nil {
			return fmt.Errorf("--memory-limit: %w", err)
		}
	}
	d, err := startDaemon(ctx, daemon.Config{
		Listen: net.JoinHostPort(f.address, strconv.Itoa(int(f.port))), PocketIC: true, PocketICMajor: major, PocketICOrigins: f.origins, Diagnostics: c.err, Log: log, CompileWorker: compileWorker(),
		SystemModules: os.Getenv(systemcanisters.FolderVariable), MemoryLimit: memoryLimit, CoverDir: os.Getenv(coverdir.Variable),
	})
	if err != nil {
		return err
	}
	if err := publish(d.Port()); err != nil {
		return errors.Join(err, d.Close())
	}
	if idle(ctx, d, seconds(f.ttl)) {
		log.Info("the server ends: it got no request for its time to live (--ttl)", "seconds", f.ttl)
	}
	return d.Close()
}

func seconds(n uint64) time.Duration { return time.Duration(min(n, 1<<32)) * time.Second }

// idle returns true when the daemon has been idle for so long, and false when it has failed, or ctx ends.
func idle(ctx context.Context, d *daemon.Daemon, ttl time.Duration) bool {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	since := time.Now()
	var before uint64
	for {
		select {
		case <-ctx.Done():
			return false
		case <-d.Failed():
			return false
		case now := <-ticker.C:
			pending, served := d.Activity()
			if pending > 0 || served != before {
				since, before = now, served
			}
			if now.Sub(since) > ttl {
				return true
			}
		}
	}
}

// pocketLog returns a log to standard output, and to a file in the folder POCKET_IC_LOG_DIR.
func pocketLog(out io.Writer, levels string) (*slog.Logger, error) {
	if dir := os.Getenv("POCKET_IC_LOG_DIR"); dir != "" {
		name := "pocket_ic_server_" + strings.ReplaceAll(time.Now().UTC().Format(time.RFC3339Nano), ":", "_") + ".log"
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("POCKET_IC_LOG_DIR: %w", err)
		}
		out = io.MultiWriter(out, file) // for as long as the process lives
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: levelOf(envOr("RUST_LOG", levels))})), nil
}

// levelOf returns the level of a specification such as "info" or "pocket_ic_server=debug,tower_http=info".
func levelOf(specification string) slog.Level {
	levels := map[string]slog.Level{
		"off": slog.LevelError + 4, "error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": slog.LevelDebug,
	}
	level := slog.LevelInfo
	for part := range strings.SplitSeq(specification, ",") {
		name, value, named := strings.Cut(part, "=")
		if !named {
			name, value = pocketTarget, part
		}
		if l, known := levels[strings.ToLower(strings.TrimSpace(value))]; known && name == pocketTarget {
			level = l
		}
	}
	return level
}

// pocketTarget is the target of the log of PocketIC's server itself.
const pocketTarget = "pocket_ic_server"
