package main

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/assets"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// uploadFrontend uploads the files of the front end of a canister that have changed.
func (x *deploying) uploadFrontend(ctx context.Context, name string) (*assets.Done, error) {
	files, err := x.project.FrontendFiles(name)
	if err != nil {
		return nil, err
	}
	sender, err := x.cli.sender()
	if err != nil {
		return nil, err
	}
	done, err := assets.Upload(ctx, &assetCanister{x, x.ids[name], sender}, files)
	if err != nil {
		return nil, fmt.Errorf("uploading the front end: %w", err)
	}
	return &done, nil
}

// assetCanister is the canister to which files are uploaded.
type assetCanister struct {
	deploying *deploying
	id        string
	sender    string
}

// Update makes an update call.
func (a *assetCanister) Update(ctx context.Context, method string, argument []byte) ([]byte, error) {
	return a.call(ctx, method, argument, true)
}

// Query makes a query call.
func (a *assetCanister) Query(ctx context.Context, method string, argument []byte) ([]byte, error) {
	return a.call(ctx, method, argument, false)
}

func (a *assetCanister) call(ctx context.Context, method string, argument []byte, update bool) ([]byte, error) {
	c := a.deploying.cli
	outcome, err := outcomeOf(ctx, a.deploying.daemon, c.instance, &controlv1.Call{
		CanisterId: a.id, Method: method, Argument: bytesValue(argument), Sender: a.sender, ReplyForm: controlv1.Form_FORM_BYTES,
	}, update)
	if err != nil {
		return nil, err
	}
	reply, err := remote.Reply(outcome)
	if err != nil {
		return nil, c.rejected(a.id, method, err)
	}
	return reply.GetBytes(), nil
}
