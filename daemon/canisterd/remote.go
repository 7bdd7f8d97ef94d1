package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/api/control/remote"
)

// connected gives a command that is a client of the control API its connection.
func (c *cli) connected(ctx context.Context, do func(ctx context.Context, d *remote.Daemon) error) error {
	d, err := c.remote()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // what was asked for has been answered
	return c.explained(do(ctx, d))
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

// controlAddress is where the control API is: beside the HTTP interface unless told otherwise.
func (c *cli) controlAddress() string {
	if c.control != "" {
		return c.control
	}
	return c.url
}

// explained says what to do about a daemon that is not there, and leaves the daemon's own words as they are.
func (c *cli) explained(err error) error {
	switch remote.Code(err) {
	case codes.OK, codes.Unknown:
		return err
	case codes.Unavailable:
		if reason, _ := remote.Reason(err); reason == "" {
			return fmt.Errorf("no daemon answers at %s (canisterd start, or --url): %s", c.controlAddress(), remote.Text(err))
		}
	case codes.Unauthenticated:
		return fmt.Errorf("%s (--token-file)", remote.Text(err))
	}
	return &refused{err}
}

// refused is an error of the daemon, in its words.
type refused struct{ err error }

// Error is what the daemon said.
func (r *refused) Error() string { return remote.Text(r.err) }

// Unwrap is gRPC's error.
func (r *refused) Unwrap() error { return r.err }
