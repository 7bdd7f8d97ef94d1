package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

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

// explained puts a daemon's refusal into the command line's words, and says what to do if there is no daemon.
func (c *cli) explained(ctx context.Context, err error) error {
	text := remote.Text(err)
	reason, of := remote.Reason(err)
	switch remote.Code(err) {
	case codes.OK, codes.Unknown:
		return err
	case codes.Unavailable:
		if reason == "" {
			if c.control == "" && c.httpAlone(ctx) {
				return &refused{fmt.Sprintf("the daemon at %s has its control API at another address, or none: --control says where, as canisterd start --control does", c.url), errNoControl}
			}
			return fmt.Errorf("no daemon answers at %s (%s): %s", c.controlAddress(), c.unreached(text), withoutTransport(text))
		}
	case codes.Unauthenticated:
		return fmt.Errorf("%s (--token-file)", text)
	}
	if reason == "INSTANCE_UNKNOWN" {
		text = c.noSuchInstance(ctx, text, of["instance"])
	}
	if reason == "CANISTER_UNKNOWN" {
		text += c.youngNetwork(ctx)
	}
	return &refused{inCommands(withoutFields(text)), err}
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
		return "canisterd start --control, or another --control"
	}
	return "canisterd start, or --url"
}

// refused is an error of the daemon, in our words.
type refused struct {
	text string
	err  error
}

// Error returns the daemon's text.
func (r *refused) Error() string { return r.text }

// Unwrap returns gRPC's error.
func (r *refused) Unwrap() error { return r.err }
