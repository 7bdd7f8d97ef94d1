package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/daemon"
)

// Exit codes: a reject is the canister's answer, anything else is ours.
const (
	exitOK     = 0
	exitFailed = 1
	exitReject = 2
)

// defaultURL is where `canisterd start` listens unless told otherwise.
const defaultURL = "http://127.0.0.1:4943"

// cli is what all commands share.
type cli struct {
	url      string
	identity string // path of a PEM file, "" for anonymous
	json     bool
	out, err io.Writer
}

// run is the program without its process: arguments in, exit code out.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	c := &cli{out: out, err: errOut}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var reject *client.Reject
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &reject):
		c.fail(err, reject)
		return exitReject
	}
	c.fail(err, nil)
	return exitFailed
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "canisterd",
		Short:         "A local Internet Computer in one binary",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       daemon.Version(),
	}
	root.SetVersionTemplate("canisterd {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&c.url, "url", envOr("CANISTERD_URL", defaultURL), "address of the daemon (environment: CANISTERD_URL)")
	flags.StringVar(&c.identity, "identity", os.Getenv("CANISTERD_IDENTITY"), "PEM file with an Ed25519 key to speak as; anonymous without (environment: CANISTERD_IDENTITY)")
	flags.BoolVar(&c.json, "json", false, "print results as JSON")
	root.AddCommand(c.start(), c.status(), c.stop(), c.canister())
	explain(root)
	return root
}

// explain makes wrong numbers of arguments say what a command takes.
func explain(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return fmt.Errorf("%d arguments given to %s (%s --help says more)", len(args), cmd.UseLine(), cmd.CommandPath())
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		explain(child)
	}
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// checkURL refuses what is no daemon's address before anything is sent there.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--url %q is not the address of a daemon: write it as %s", address, defaultURL)
	}
	return nil
}

// dial connects to the daemon as the identity asked for.
func (c *cli) dial(ctx context.Context) (*client.Client, error) {
	if err := checkURL(c.url); err != nil {
		return nil, err
	}
	var options []client.Option
	if c.identity != "" {
		key, err := readKey(c.identity)
		if err != nil {
			return nil, err
		}
		options = append(options, client.WithKey(key))
	}
	connection, err := client.Dial(ctx, c.url, options...)
	if err != nil {
		return nil, fmt.Errorf("no daemon answers at %s (canisterd start, or --url): %w", c.url, err)
	}
	return connection, nil
}
