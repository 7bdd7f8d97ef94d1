package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/output"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
)

// Exit codes: a reject is the canister's answer, anything else is ours. exitMeanings has all.
const (
	exitOK          = 0
	exitFailed      = 1
	exitReject      = 2
	exitUnanswered  = 4   // a request goes on, and its caller does not wait longer
	exitInterrupted = 130 // as in shells, for a program that Ctrl-C ended
)

// rejectReason is the daemon's reason for rejects of the management canister.
const rejectReason = "IC_REJECT"

// defaultURL is where `canisterd start` listens by default.
const defaultURL = "http://127.0.0.1:4943"

// cli is shared by all commands.
type cli struct {
	url            string
	control        string // address of the control API, "" for the address of url
	tokenFile      string
	roots          string // PEM file of the certificates to trust, "" for the system's
	instance       string // "" for the default one
	identity       string // name of an identity, or path of a PEM file; "" for the one in use
	as             string // principal to call as
	json           bool
	filter         output.Filter // for results
	filtered       bool          // there is a filter
	request        string        // id of the last update, in hex
	folder         string        // where names are looked up, "" for the current one
	coverDir       string        // where processes write which code of canisters runs, "" for nowhere
	anywhere       bool          // projects may name files outside of their repository
	projectNetwork string        // section of networks in canisterd.yaml, "" for none
	verbose        bool          // descriptions of instances have their seed and root key
	out, err       io.Writer

	ctx      context.Context // of the command
	deployed *directory      // read on first use
}

// exitCode is the exit code of a program that was run for the user, as an error that was already reported.
type exitCode int

// Error is for callers that print it anyway.
func (e exitCode) Error() string { return fmt.Sprintf("the program ended with exit code %d", int(e)) }

// errInterrupted is the message for a user who stops waiting.
var errInterrupted = errors.New("interrupted")

// run is the program without its process: it takes arguments and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	c := &cli{out: out, err: errOut}
	root := c.root()
	if isCompletion(args) {
		c.complete(root)
	}
	root.SetArgs(withNegatives(root, args))
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var reject *remote.Reject
	var exit exitCode
	reason, _ := remote.Reason(err)
	var missing *unrunnable
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &reject):
		c.fail(err, reject)
		return exitReject
	case reason == rejectReason:
		c.fail(err, nil)
		return exitReject
	case reason == unansweredReason:
		c.fail(err, nil)
		return exitUnanswered
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &missing):
		c.fail(err, nil)
		return missing.code()
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || remote.Code(err) == codes.Canceled):
		c.fail(errInterrupted, nil)
		return exitInterrupted
	}
	c.fail(err, nil)
	return exitFailed
}

func (c *cli) root() *cobra.Command {
	c.projectNetwork = os.Getenv("CANISTERD_NETWORK")
	root := group("canisterd", "A local Internet Computer in one binary")
	root.Long = about
	c.addVersion(root)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetHelpCommand(c.helpCommand())
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		c.url, c.ctx, c.coverDir = withScheme(c.url), cmd.Context(), os.Getenv(coverdir.Variable)
		var err error
		if c.filtered, err = c.filter.Read(); err != nil {
			return err
		}
		c.json = c.json || c.filtered
		return checkSender(cmd)
	}
	root.SetFlagErrorFunc(wrongFlag)
	c.fitHelp(root)
	flags := root.PersistentFlags()
	flags.StringVar(&c.url, "url", envOr("CANISTERD_URL", defaultURL), "address of the daemon (environment: CANISTERD_URL)")
	flags.StringVar(&c.control, "control", os.Getenv("CANISTERD_CONTROL"), "address of the control API: host:port, http://host:port, https://host:port or unix:///path (default: that of --url; environment: CANISTERD_CONTROL)")
	flags.StringVar(&c.tokenFile, "token-file", os.Getenv("CANISTERD_TOKEN_FILE"), "file with the token for the control API (environment: CANISTERD_TOKEN_FILE)")
	flags.StringVar(&c.roots, "tls-roots", os.Getenv("CANISTERD_TLS_ROOTS"), "PEM file with trusted certificates (default: the system's; environment: CANISTERD_TLS_ROOTS)")
	flags.StringVarP(&c.instance, "instance", "i", os.Getenv("CANISTERD_INSTANCE"), "instance to use (default: the one named default; environment: CANISTERD_INSTANCE)")
	flags.StringVar(&c.as, "as", os.Getenv("CANISTERD_AS"), "principal to call as (its key is not needed), or the name of a canister or an identity (environment: CANISTERD_AS)")
	flags.StringVar(&c.identity, "identity", os.Getenv("CANISTERD_IDENTITY"), "identity to call as: a name (canisterd identity list) or a PEM file (default: the one in use, else anonymous; environment: CANISTERD_IDENTITY)")
	flags.BoolVar(&c.json, "json", false, "print results as JSON (docs/output.md)")
	c.filter.Add(root)
	root.AddGroup(
		&cobra.Group{ID: "daemon", Title: "The daemon:"}, &cobra.Group{ID: "work", Title: "Canisters:"},
		&cobra.Group{ID: "control", Title: "Time, and what is in flight:"}, &cobra.Group{ID: "watch", Title: "Observing and exploring:"},
	)
	grouped := func(id string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = id
			root.AddCommand(cmd)
		}
	}
	grouped("daemon", c.start(), c.dev(), c.status(), c.health(), c.stop(), c.instanceGroup(), c.stateGroup(), c.replay(), c.exec(), c.link(), c.doctor(), c.version(), c.pocket(), c.launcher())
	grouped("work", c.init(), c.build(), c.deploy(), c.canister(), c.clone(), c.modulesGroup(), c.identityGroup(), c.schema(), c.wasmGroup(), c.componentGroup(), c.cacheGroup())
	grouped("control", c.timeCommand(), c.pacing(), c.runCommand(), c.step(), c.timers(), c.contexts(), c.futures(), c.queues(), c.rules(), c.held(), c.release(), c.drop(), c.settle(), c.outcalls())
	grouped("watch", c.inspect(), c.logs(), c.events(), c.trace(), c.profile(), c.cover(), c.cost(), c.explore(), c.rehearse(), c.mcpCommand(), c.skill())
	root.AddCommand(compileWorkerCommand())
	c.explain(root)
	root.InitDefaultCompletionCmd()
	if completion := commandNamed(root, "completion"); completion != nil { // cobra's prints its help for a shell it does not know, and succeeds
		completion.Args, completion.RunE = cobra.ArbitraryArgs, others
		for _, shell := range completion.Commands() {
			shell.Example = fmt.Sprintf("  %[1]s\n  %[1]s --no-descriptions", shell.CommandPath())
		}
	}
	return root
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// withScheme returns an address for HTTP clients: host:port is enough, as for --control.
func withScheme(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil && !strings.Contains(address, "://") {
		return "http://" + address
	}
	return address
}

// checkURL refuses an invalid address before anything is sent to it.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("invalid --url %q: expected an address such as %s", address, defaultURL)
	}
	return nil
}

// dial connects to an HTTP interface.
func (c *cli) dial(ctx context.Context, address string) (*client.Client, error) {
	if err := checkURL(address); err != nil {
		return nil, err
	}
	connection, err := client.Dial(ctx, address)
	var answered *client.HTTPError
	if errors.As(err, &answered) {
		return nil, fmt.Errorf("requesting the status of %s: %w", address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("no daemon answers at %s: %w (start one with canisterd start, or set --url)", address, innermost(err))
	}
	return connection, nil
}
