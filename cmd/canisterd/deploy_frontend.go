package main

import (
	"context"

	"github.com/canisterd/canisterd/internal/assets"
	"github.com/canisterd/canisterd/internal/control/deploy"
)

// uploadFrontend uploads the files of the front end of a canister that have changed.
func (x *deploying) uploadFrontend(ctx context.Context, name string) (*assets.Done, error) {
	sender, err := x.cli.sender()
	if err != nil {
		return nil, err
	}
	id := x.ids[name]
	to := &deploy.AssetCanister{
		Daemon: x.daemon, Instance: x.cli.instance, CanisterID: id, Sender: sender,
		Rejected: func(method string, reject error) error { return x.cli.rejected(id, method, reject) },
	}
	done, err := to.UploadFrontend(ctx, x.project, name)
	if err != nil {
		return nil, err
	}
	return &done, nil
}
