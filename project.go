package canisterd

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/assets"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
)

// DeployProject deploys the canisters of a folder as the command canisterd deploy does in an empty network: by its
// canisterd.yaml, or without one every Wasm file under its own name. It returns the canisters by name, also for
// [Network.Canister]. Clones begin with the state of the newest snapshots that the folder keeps. Nothing is written to the
// folder, and nothing is read from another network.
func (n *Network) DeployProject(ctx context.Context, folder string) (map[string]*Canister, error) {
	p, err := project.Read(folder, project.Anywhere) // the program is trusted more than the files
	if err != nil {
		return nil, err
	}
	t := &projectTarget{network: n, project: p, made: map[string]*Canister{}, ids: map[string]string{}}
	if err := p.Deploy(ctx, nil, nil, t); err != nil {
		return nil, err
	}
	return t.made, n.setBudgets(ctx, p, t.made)
}

// projectTarget is a network to which a project is deployed.
type projectTarget struct {
	network *Network
	project *project.Project
	made    map[string]*Canister
	ids     map[string]string
}

// Check does nothing: a subnet that does not exist is found when the canister is created.
func (t *projectTarget) Check(context.Context) error { return nil }

// Create creates a canister.
func (t *projectTarget) Create(ctx context.Context, name string) error {
	c, err := t.network.createSpec(ctx, t.project.Canisters[name])
	if err != nil {
		return err
	}
	t.network.add(c, name)
	t.made[name], t.ids[name] = c, c.id.String()
	return nil
}

// Install installs a canister, unless it is a clone.
func (t *projectTarget) Install(ctx context.Context, name string) error {
	if t.project.Canisters[name].Clone != nil {
		return nil
	}
	c := t.made[name]
	if err := c.installSpec(ctx, t.project, name, t.ids); err != nil || t.project.Canisters[name].Frontend == "" {
		return err
	}
	files, err := t.project.FrontendFiles(name)
	if err != nil {
		return err
	}
	if _, err := assets.Upload(ctx, &assetCanister{c}, files); err != nil {
		return fmt.Errorf("uploading the front end: %w", err)
	}
	return nil
}

// assetCanister is a canister to which files are uploaded.
type assetCanister struct{ canister *Canister }

// Update makes an update call.
func (a *assetCanister) Update(ctx context.Context, method string, argument []byte) ([]byte, error) {
	var reply Bytes
	err := a.canister.Call(ctx, method, Bytes(argument), Into(&reply))
	return reply, err
}

// Query makes a query call.
func (a *assetCanister) Query(ctx context.Context, method string, argument []byte) ([]byte, error) {
	var reply Bytes
	err := a.canister.Query(ctx, method, Bytes(argument), Into(&reply))
	return reply, err
}

// createSpec creates a canister of a project.
func (n *Network) createSpec(ctx context.Context, spec *project.Canister) (*Canister, error) {
	d := &deployment{features: spec.Features}
	amount, err := quantity.ParseCycles(spec.Cycles)
	if err == nil && amount != "" {
		d.cycles, err = natOfDigits(amount)
	}
	if err != nil {
		return nil, err
	}
	if spec.ID != "" {
		id, err := principal.Parse(spec.ID)
		if err != nil {
			return nil, err
		}
		d.id = &id
	}
	if spec.Subnet != "" {
		if err := d.onSubnet(spec.Subnet); err != nil {
			return nil, err
		}
	}
	return n.create(ctx, d)
}

// onSubnet parses a subnet of canisterd.yaml: its kind or its id.
func (d *deployment) onSubnet(text string) error {
	bare := func(text string) string { return strings.ReplaceAll(strings.ToLower(text), "_", "") }
	for kind := Application; kind <= CloudEngine; kind++ {
		if bare(kind.String()) == bare(text) {
			d.kind = &kind
			return nil
		}
	}
	id, err := principal.Parse(text)
	if err != nil {
		return fmt.Errorf("%q is neither the kind nor the id of a subnet", text)
	}
	d.subnet = &id
	return nil
}

// installSpec installs the module of a canister of a project, and then applies its settings.
func (c *Canister) installSpec(ctx context.Context, p *project.Project, name string, ids map[string]string) error {
	spec := p.Canisters[name]
	given, err := p.Given(name, ids)
	if err != nil {
		return err
	}
	settings, err := settingsOf(given)
	if err != nil {
		return err
	}
	if err := c.manage(ctx, "update_settings", management.UpdateSettings{Canister: c.id, Settings: *settings}); err != nil {
		return err
	}
	module, err := p.Module(name)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	debug, err := p.DebugInfo(name)
	if err != nil {
		return err
	}
	if err := c.network.keepDebugInfo(module, canister.DebugInfo{SourceMap: debug.SourceMap, DebugFile: debug.DebugFile}, debug.Beside != ""); err != nil {
		return err
	}
	argument, err := spec.Argument(name, ids)
	if err != nil {
		return err
	}
	arg, err := p.EncodeInit(name, argument, module)
	if err != nil {
		return err
	}
	return c.install(ctx, module, arg, install)
}

// settingsOf converts the settings of a project for the management canister.
func settingsOf(given *project.Given) (s *management.Settings, err error) {
	s = &management.Settings{
		ComputeAllocation: natOf(given.ComputeAllocation), MemoryAllocation: natOf(given.MemoryAllocation),
		FreezingThreshold: natOf(given.FreezingThreshold), WasmMemoryLimit: natOf(given.WasmMemoryLimit),
		WasmMemoryThreshold: natOf(given.WasmMemoryThreshold), LogMemoryLimit: natOf(given.LogMemoryLimit),
	}
	if given.ReservedCyclesLimit != nil {
		if s.ReservedLimit, err = natOfDigits(*given.ReservedCyclesLimit); err != nil {
			return nil, err
		}
	}
	if len(given.Controllers) > 0 {
		if s.Controllers, err = principalsOf(given.Controllers); err != nil {
			return nil, err
		}
	}
	if v := given.LogVisibility; v != nil {
		switch {
		case v.Public:
			s.LogVisibility = &management.Visibility{Public: new(candid.Null)}
		case len(v.Viewers) > 0:
			s.LogVisibility = &management.Visibility{}
			if s.LogVisibility.Viewers, err = principalsOf(v.Viewers); err != nil {
				return nil, err
			}
		default:
			s.LogVisibility = &management.Visibility{Controllers: new(candid.Null)}
		}
	}
	variables := make([]management.Variable, len(given.Environment))
	for i, v := range given.Environment {
		variables[i] = management.Variable{Name: v.Name, Value: v.Value}
	}
	s.Environment = &variables
	return s, nil
}

// natOfDigits parses a number in decimal digits.
func natOfDigits(digits string) (*candid.Nat, error) {
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, fmt.Errorf("invalid number %q: expected decimal digits", digits)
	}
	nat, err := candid.NatOfBig(n)
	return &nat, err
}

func natOf(n *uint64) *candid.Nat {
	if n == nil {
		return nil
	}
	nat := candid.NatOf(*n)
	return &nat
}

func principalsOf(texts []string) (*[]principal.Principal, error) {
	all := make([]principal.Principal, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = principal.Parse(text); err != nil {
			return nil, err
		}
	}
	return &all, nil
}
