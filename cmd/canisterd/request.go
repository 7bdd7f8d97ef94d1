package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// requestIDBytes is the length of a request id (interface specification, "Request ids").
const requestIDBytes = 32

// requestPrefix parses the id of a request in hex, or a prefix.
func requestPrefix(text string) (string, error) {
	prefix := strings.ToLower(strings.TrimPrefix(text, "0x"))
	if prefix == "" || len(prefix) > 2*requestIDBytes || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", fmt.Errorf("invalid request id %q: expected an id of %d hex digits, or a prefix of it, as printed by canister submit, canister call --verbose, events and trace", text, 2*requestIDBytes)
	}
	return prefix, nil
}

// requestOf returns the request whose id has a prefix.
func (c *cli) requestOf(ctx context.Context, d *remote.Daemon, prefix string) ([]byte, error) {
	if len(prefix) == 2*requestIDBytes {
		return hex.DecodeString(prefix)
	}
	got, err := d.Events.GetTrace(ctx, &controlv1.GetTraceRequest{Instance: c.instance, Of: &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: prefix}})
	return got.GetRoot().GetRequestId(), err
}
