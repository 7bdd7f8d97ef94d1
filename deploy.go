package canisterd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/replica"
)

// DeployOption is a property of a new canister.
type DeployOption func(*deployment)

// deployment is the specification of a new canister.
type deployment struct {
	init        []any
	cycles      *candid.Nat // nil: 100 T
	id          *principal.Principal
	kind        *SubnetKind
	subnet      *principal.Principal
	controllers []principal.Principal
	features    []string
	name        string
	sourceMap   string // paths
	debugFile   string
}

// Init sets the arguments of the installation or upgrade: Go values, or one [Text] or [Bytes].
func Init(args ...any) DeployOption { return func(d *deployment) { d.init = args } }

// Cycles sets the balance that the canister is created with; the default is 100 T.
func Cycles(amount uint64) DeployOption {
	nat := candid.NatOf(amount)
	return func(d *deployment) { d.cycles = &nat }
}

// ID sets the id that the canister is created with, one of mainnet that a subnet of the network hosts; the default is
// the next free id.
func ID(id principal.Principal) DeployOption { return func(d *deployment) { d.id = &id } }

// On sets the kind of the subnet that the canister is created on: the first subnet of that kind.
func On(kind SubnetKind) DeployOption { return func(d *deployment) { d.kind = &kind } }

// Controllers sets the controllers of the canister; the default is the anonymous user.
func Controllers(controllers ...principal.Principal) DeployOption {
	return func(d *deployment) { d.controllers = controllers }
}

// Features sets what the module may use although the Internet Computer would refuse it: "wasi", "components". The
// canister keeps them over upgrades.
func Features(names ...string) DeployOption { return func(d *deployment) { d.features = names } }

// Named sets the name of the canister in traces, errors and [Network.Canister]; the default is the name of the file.
func Named(name string) DeployOption { return func(d *deployment) { d.name = name } }

// SourceMap sets the path of the module's source map, for the source lines of backtraces and profiles. The default is the
// file NAME.wasm.map beside the module, if it is there and of this build.
func SourceMap(path string) DeployOption { return func(d *deployment) { d.sourceMap = path } }

// DebugFile sets the path of a Wasm file with the debug information that was stripped from the module.
func DebugFile(path string) DeployOption { return func(d *deployment) { d.debugFile = path } }

func deploymentOf(options []DeployOption) *deployment {
	d := &deployment{}
	for _, option := range options {
		option(d)
	}
	return d
}

// Deploy creates a canister and installs a module from a file, plain or gzipped. The path is relative to the working
// folder, which for a test is the folder of its package.
func (n *Network) Deploy(ctx context.Context, path string, options ...DeployOption) (*Canister, error) {
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".wasm"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return n.deploy(ctx, name, module, project.SourceMapBeside(path), options)
}

// DeployModule is [Network.Deploy] for a module in memory.
func (n *Network) DeployModule(ctx context.Context, module []byte, options ...DeployOption) (*Canister, error) {
	return n.deploy(ctx, "canister", module, "", options)
}

func (n *Network) deploy(ctx context.Context, name string, module []byte, beside string, options []DeployOption) (*Canister, error) {
	d := deploymentOf(options)
	name = cmp.Or(d.name, name)
	arg, err := initOf(module, d.init)
	if err != nil {
		return nil, fmt.Errorf("deploying %s: %w", name, err)
	}
	c, err := n.create(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	n.add(c, name)
	if err := n.addDebugInfo(module, d, beside); err != nil {
		return nil, fmt.Errorf("deploying %s: %w", name, err)
	}
	if err := c.install(ctx, module, arg, install); err != nil {
		return nil, fmt.Errorf("installing %s: %w", name, err)
	}
	return c, nil
}

// Create creates a canister without code. It ignores the [Init] option.
func (n *Network) Create(ctx context.Context, options ...DeployOption) (*Canister, error) {
	d := deploymentOf(options)
	c, err := n.create(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("creating a canister: %w", err)
	}
	n.add(c, cmp.Or(d.name, "canister"))
	return c, nil
}

// create creates a canister without code and without a name.
func (n *Network) create(ctx context.Context, d *deployment) (*Canister, error) {
	features, err := canister.FeaturesOf(d.features)
	if err != nil {
		return nil, err
	}
	arg := management.Create{Amount: d.cycles, Specified: d.id}
	if len(d.controllers) > 0 {
		arg.Settings = &management.Settings{Controllers: &d.controllers}
	}
	effective, err := n.placeOf(d)
	if err != nil {
		return nil, err
	}
	var made management.Canister
	management := n.Management()
	pending, err := management.submit(ctx, "provisional_create_canister_with_cycles", effective, false, arg)
	if err != nil {
		return nil, err
	}
	if err := pending.await(ctx, []any{&made}); err != nil {
		return nil, err
	}
	if features != 0 {
		if err := n.apply(ctx, replica.SetFeatures{Canister: made.ID, Features: features}); err != nil {
			return nil, err
		}
	}
	return n.CanisterAt(made.ID), nil
}

// placeOf returns the canister id that selects the subnet of a new canister.
func (n *Network) placeOf(d *deployment) (principal.Principal, error) {
	view := n.running.Driver().View()
	if d.id != nil {
		return *d.id, nil
	}
	for i := range view.Subnets {
		s := &view.Subnets[i]
		if len(s.Ranges) > 0 && (d.kind != nil && s.Kind == *d.kind || d.subnet != nil && s.ID == *d.subnet) {
			return s.Ranges[len(s.Ranges)-1].Start, nil
		}
	}
	switch {
	case d.kind != nil:
		return principal.Principal{}, fmt.Errorf("the network has no subnet of kind %s: give it one with Subnets", *d.kind)
	case d.subnet != nil:
		return principal.Principal{}, fmt.Errorf("the network has no subnet %s", *d.subnet)
	}
	return view.DefaultCanister(), nil
}

// installFile installs a module from a file.
func (c *Canister) installFile(ctx context.Context, path string, mode mode, options []DeployOption) error {
	module, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the module: %w", err)
	}
	d := deploymentOf(options)
	arg, err := initOf(module, d.init)
	if err == nil {
		err = c.network.addDebugInfo(module, d, project.SourceMapBeside(path))
	}
	if err != nil {
		return fmt.Errorf("installing %s: %w", c, err)
	}
	if err := c.install(ctx, module, arg, mode); err != nil {
		return fmt.Errorf("installing %s: %w", c, err)
	}
	return nil
}

// addDebugInfo reads debug information beside a module: that of a deployment, and without a source map the one at a path
// beside the module, "" for none.
func (n *Network) addDebugInfo(module []byte, of *deployment, beside string) (err error) {
	var d canister.DebugInfo
	if path := cmp.Or(of.sourceMap, beside); path != "" {
		if d.SourceMap, err = os.ReadFile(path); err != nil {
			return fmt.Errorf("reading the source map: %w", err)
		}
	}
	if of.debugFile != "" {
		if d.DebugFile, err = os.ReadFile(of.debugFile); err != nil {
			return fmt.Errorf("reading the debug file: %w", err)
		}
	}
	return n.keepDebugInfo(module, d, of.sourceMap == "")
}

// keepDebugInfo keeps debug information for a module, if there is any. A source map that was only found beside the module
// is left out if it does not fit: it is of another build.
func (n *Network) keepDebugInfo(module []byte, d canister.DebugInfo, found bool) error {
	if !d.HasDebugInfo() {
		return nil
	}
	err := n.running.Driver().AddDebugInfo(module, d)
	if err == nil || !found {
		return err
	}
	d.SourceMap = nil
	return n.keepDebugInfo(module, d, false)
}

// install installs a module.
func (c *Canister) install(ctx context.Context, module, arg []byte, mode mode) error {
	in := management.Install{Canister: c.id, Module: module, Arg: arg}
	switch mode {
	case install:
		in.Mode.Install = new(candid.Null)
	case reinstall:
		in.Mode.Reinstall = new(candid.Null)
	case upgrade:
		options := &management.UpgradeOptions{}
		if keeps(c.network.running.Driver().Module(c.id), module) {
			options.Persistence = &management.Persistence{Keep: new(candid.Null)}
		}
		in.Mode.Upgrade = &options
	}
	return c.manage(ctx, "install_code", in)
}

// keepSection is the metadata of modules whose main memory survives upgrades.
const keepSection = "enhanced-orthogonal-persistence"

// keeps reports whether an upgrade keeps the main memory: if both modules request it.
func keeps(before *canister.Module, module []byte) bool {
	if before == nil {
		return false
	}
	if _, ok := before.Section(keepSection); !ok {
		return false
	}
	_, ok := did.Section(module, keepSection, canister.MaxModuleBytes)
	return ok
}

// initOf encodes the arguments of an installation with the types that the module declares.
func initOf(module []byte, args []any) ([]byte, error) {
	var types []*candid.Type
	text := encodeUntyped
	if file, err := did.FromModule(module, canister.MaxModuleBytes); err == nil {
		if init, typed := file.Init(); typed {
			types, text = did.Types(init), file.EncodeInit
			if types == nil {
				types = []*candid.Type{}
			}
		}
	}
	arg, err := encode(args, types, text)
	if err != nil {
		return nil, fmt.Errorf("the arguments are not what the module takes: %w", err)
	}
	return arg, nil
}

// T is a trillion cycles: 5 * canisterd.T.
const T = 1_000_000_000_000

// Upgrade installs a module from a file and keeps the state: stable memory, and the main memory if both modules request
// it (enhanced orthogonal management.Persistence). It ignores all options except [Init].
func (c *Canister) Upgrade(ctx context.Context, path string, options ...DeployOption) error {
	return c.installFile(ctx, path, upgrade, options)
}

// Reinstall installs a module from a file and drops the state. It ignores all options except [Init].
func (c *Canister) Reinstall(ctx context.Context, path string, options ...DeployOption) error {
	return c.installFile(ctx, path, reinstall, options)
}

// Start starts a stopped canister.
func (c *Canister) Start(ctx context.Context) error { return c.about(ctx, "start_canister") }

// Stop stops the canister, once its open calls are answered.
func (c *Canister) Stop(ctx context.Context) error { return c.about(ctx, "stop_canister") }

// Delete deletes a stopped canister.
func (c *Canister) Delete(ctx context.Context) error { return c.about(ctx, "delete_canister") }

// about calls, as its controller, a method of the management canister whose only argument is the canister.
func (c *Canister) about(ctx context.Context, method string) error {
	return c.manage(ctx, method, management.Canister{ID: c.id})
}

// Cycles returns the balance of the canister. A balance that a uint64 does not hold is an error.
func (c *Canister) Cycles(ctx context.Context) (uint64, error) {
	r, err := c.report(ctx)
	if err == nil && r.Balance.Hi != 0 {
		err = fmt.Errorf("invalid balance of %s: expected at most 18,446,744 T, got %s cycles", c, r.Balance)
	}
	return r.Balance.Lo, err
}

// AddCycles adds newly created cycles to the balance.
func (c *Canister) AddCycles(ctx context.Context, amount uint64) error {
	return c.network.apply(ctx, replica.AddCycles{Canister: c.id, Amount: cycles.Of(amount)})
}

// SetCycles sets the balance.
func (c *Canister) SetCycles(ctx context.Context, amount uint64) error {
	return c.network.apply(ctx, replica.SetCycles{Canister: c.id, Amount: cycles.Of(amount)})
}

// Logs returns the lines that the canister has printed, the oldest first, as far as its log has room for them. A trap
// is also a line.
func (c *Canister) Logs(ctx context.Context) ([]string, error) {
	if _, err := c.report(ctx); err != nil {
		return nil, err
	}
	return readNetwork(ctx, c.network, func(n *replica.Network) (lines []string) {
		k := n.Canister(c.id)
		if k == nil {
			return nil
		}
		var records []canister.LogRecord
		for i := range k.Logs.Len() {
			records = append(records, k.Logs.At(i))
		}
		for _, r := range records {
			lines = append(lines, string(r.Content))
		}
		return lines
	})
}
