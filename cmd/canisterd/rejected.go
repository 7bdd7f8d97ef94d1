package main

import (
	"context"
	"encoding/hex"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// rejectedCall is the reject of a call, with the call.
type rejectedCall struct {
	canister, method string
	name             string // of the canister
	reject           error
}

// Error names the call before its reject.
func (r *rejectedCall) Error() string {
	return r.name + "." + oneLine(r.method) + ": " + r.reject.Error()
}

// Unwrap returns the reject.
func (r *rejectedCall) Unwrap() error { return r.reject }

// rejected adds to a reject the call.
func (c *cli) rejected(canister, method string, reject error) error {
	return &rejectedCall{canister: canister, method: method, name: c.nameOf(canister), reject: reject}
}

// rejectedRequest adds to a reject the call of the request, where its trace is remembered.
func (c *cli) rejectedRequest(ctx context.Context, d *remote.Daemon, id []byte, reject error) error {
	of := &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: hex.EncodeToString(id)}
	got, err := d.Events.GetTrace(ctx, &controlv1.GetTraceRequest{Instance: c.instance, Of: of})
	if err != nil || got.GetRoot().GetMethod() == "" {
		return reject
	}
	return c.rejected(got.GetRoot().GetCanisterId(), got.GetRoot().GetMethod(), reject)
}
