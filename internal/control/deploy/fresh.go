package deploy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Target is the instance that gets the canisters.
type Target struct {
	Daemon     *remote.Daemon
	Instance   string            // "" for the default one
	Sender     string            // principal that creates and installs; "" for the anonymous one
	Principals map[string]string // of identities by name
}

// Fresh deploys a project to an instance without canisters of it, and returns their ids by name.
func (t Target) Fresh(ctx context.Context, p *project.Project) (map[string]string, error) {
	f := &fresh{Target: t, project: p, ids: map[string]string{}}
	err := p.Deploy(ctx, nil, f.principals(), f)
	return f.ids, err
}

// fresh is one deployment.
type fresh struct {
	Target
	project *project.Project
	ids     map[string]string // of the canisters so far
}

// principals returns those of identities and of the canisters so far. A canister comes before an identity.
func (f *fresh) principals() map[string]string {
	all := maps.Clone(f.Principals)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, f.ids)
	return all
}

// Check finds the subnets that the project names.
func (f *fresh) Check(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(f.project.Canisters)) {
		if _, err := request.Subnet(ctx, f.Daemon, f.Instance, f.project.Canisters[name].Subnet); err != nil {
			return fmt.Errorf("canister %s: subnet: %w", name, err)
		}
	}
	return nil
}

// Create creates a canister.
func (f *fresh) Create(ctx context.Context, name string) error {
	spec := f.project.Canisters[name]
	cycles, err := quantity.ParseCycles(spec.Cycles)
	if err != nil {
		return err
	}
	subnet, err := request.Subnet(ctx, f.Daemon, f.Instance, spec.Subnet)
	if err != nil {
		return err
	}
	created, err := f.Daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{
		Instance: f.Instance, Cycles: cycles, CanisterId: spec.ID, SubnetId: subnet, Sender: f.Sender,
	})
	if err == nil {
		f.ids[name] = created.GetCanisterId()
	}
	return err
}

// Install gives a canister its settings, its module and its front end.
func (f *fresh) Install(ctx context.Context, name string) error {
	if f.project.Canisters[name].Clone != nil {
		return nil
	}
	if err := f.install(ctx, name); err != nil || f.project.Canisters[name].Frontend == "" {
		return err
	}
	to := &AssetCanister{Daemon: f.Daemon, Instance: f.Instance, CanisterID: f.ids[name], Sender: f.Sender}
	_, err := to.UploadFrontend(ctx, f.project, name)
	return err
}

// install gives a canister its settings and its module.
func (f *fresh) install(ctx context.Context, name string) error {
	given, err := f.project.Given(name, f.principals())
	if err != nil {
		return err
	}
	settings := &controlv1.UpdateSettingsRequest{Instance: f.Instance, CanisterId: f.ids[name], Settings: request.Settings(given)}
	if _, err := f.Daemon.Canisters.UpdateSettings(ctx, settings); err != nil {
		return err
	}
	module, err := f.project.Module(name)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	argument, err := f.argument(name, module)
	if err != nil {
		return err
	}
	debug, err := f.project.DebugInfo(name)
	if err != nil {
		return err
	}
	head := &controlv1.InstallHead{
		Instance: f.Instance, CanisterId: f.ids[name], Features: f.project.Canisters[name].Features, Argument: argument, Sender: f.Sender,
	}
	send := func() error {
		_, err := f.Daemon.InstallWithDebugInfo(ctx, head, bytes.NewReader(module), remote.DebugInfo{SourceMap: debug.SourceMap, DebugFile: debug.DebugFile}, nil)
		return err
	}
	err = send()
	if reason, _ := remote.Reason(err); reason == remote.DebugInfoInvalid && debug.Beside != "" {
		debug.SourceMap = nil // of another build, and the project does not name it
		err = send()
	}
	return err
}

// argument returns the argument of an installation, in bytes if the project gives the interface.
func (f *fresh) argument(name string, module []byte) (*controlv1.Value, error) {
	given, err := f.project.Canisters[name].Argument(name, f.principals())
	if err != nil {
		return nil, err
	}
	if f.project.Canisters[name].Candid == "" {
		return request.Value(given), nil
	}
	raw, err := f.project.EncodeInit(name, given, module)
	if err != nil {
		return nil, err
	}
	return &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: raw}}, nil
}
