package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
)

// connected connects a command that is a client of the control API.
func (c *cli) connected(ctx context.Context, do func(ctx context.Context, d *remote.Daemon) error) error {
	d, err := c.remote()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // all requests have been answered
	return c.explained(ctx, do(ctx, d))
}

// connecting returns the RunE of a command that begins by connecting.
func (c *cli) connecting(do func(ctx context.Context, d *remote.Daemon, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error { return do(ctx, d, args) })
	}
}

func (c *cli) remote() (*remote.Daemon, error) {
	var with []remote.Option
	if c.tokenFile != "" {
		token, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("reading the token: %w", err)
		}
		with = append(with, remote.WithToken(strings.TrimSpace(string(token))))
	}
	if c.roots != "" {
		with = append(with, remote.WithRoots(c.roots))
	}
	return remote.Dial(c.controlAddress(), with...)
}

// controlAddress returns the address of the control API: by default the one of the HTTP interface.
func (c *cli) controlAddress() string {
	if c.control != "" {
		return c.control
	}
	return c.url
}

// errNoControl is the error for a daemon that only answers HTTP.
var errNoControl = errors.New("no control API at this address")

// httpAlone reports whether HTTP is answered, but no control API.
func (c *cli) httpAlone(ctx context.Context) bool {
	ctx, cancel := patient(ctx, time.Second)
	defer cancel()
	connection, err := c.dial(ctx, c.url)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

// unreached says what to do if the daemon cannot be reached.
func (c *cli) unreached(text string) string {
	switch {
	case strings.Contains(text, "x509: "):
		return "--tls-roots FILE names the certificates to trust"
	case strings.Contains(text, "reading server preface"):
		return "write https:// before the address of one that has TLS"
	case strings.Contains(text, "does not look like a TLS handshake"):
		return "write http:// before the address of one that has no TLS"
	case c.control != "":
		return "start the daemon with canisterd start --control, or set another --control"
	}
	return "start one with canisterd start, or set --url"
}

// innermost returns the reason within wrapping errors: "connection refused" of a request that could not be sent.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// transport is gRPC's text around the reason for a failed connection.
var transport = regexp.MustCompile(`^.*desc = "transport: (.*)"$`)

// dialed is the network library's text before that.
var dialed = regexp.MustCompile(`^(?:Error while dialing: )?(?:dial \w+ \S+: )?(?:connect: )?`)

// withoutTransport returns why a connection failed, without the words of libraries.
func withoutTransport(text string) string {
	if inner := transport.FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	return dialed.ReplaceAllString(text, "")
}
