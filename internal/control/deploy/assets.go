package deploy

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/assets"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// AssetCanister is a canister of an instance to which files are uploaded.
type AssetCanister struct {
	Daemon             *remote.Daemon
	Instance           string // "" for the default one
	CanisterID, Sender string
	// Rejected returns the error for a reject of a method; nil for the reject itself.
	Rejected func(method string, reject error) error
}

// UploadFrontend uploads the files of the front end of a canister of a project that have changed.
func (a *AssetCanister) UploadFrontend(ctx context.Context, p *project.Project, name string) (assets.Done, error) {
	files, err := p.FrontendFiles(name)
	if err != nil {
		return assets.Done{}, err
	}
	done, err := assets.Upload(ctx, a, files)
	if err != nil {
		return assets.Done{}, fmt.Errorf("uploading the front end: %w", err)
	}
	return done, nil
}

// Update makes an update call.
func (a *AssetCanister) Update(ctx context.Context, method string, argument []byte) ([]byte, error) {
	r, err := a.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: a.Instance, Call: a.call(method, argument)})
	if err != nil {
		return nil, err
	}
	return a.reply(method, r.GetOutcome())
}

// Query makes a query call.
func (a *AssetCanister) Query(ctx context.Context, method string, argument []byte) ([]byte, error) {
	r, err := a.Daemon.Calls.Query(ctx, &controlv1.QueryRequest{Instance: a.Instance, Call: a.call(method, argument)})
	if err != nil {
		return nil, err
	}
	return a.reply(method, r.GetOutcome())
}

func (a *AssetCanister) call(method string, argument []byte) *controlv1.Call {
	return &controlv1.Call{
		CanisterId: a.CanisterID, Method: method, Sender: a.Sender,
		Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: argument}}, ReplyForm: controlv1.Form_FORM_BYTES,
	}
}

func (a *AssetCanister) reply(method string, outcome *controlv1.Outcome) ([]byte, error) {
	reply, err := remote.Reply(outcome)
	if err != nil && a.Rejected != nil {
		err = a.Rejected(method, err)
	}
	return reply.GetBytes(), err
}
