package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon/project"
	"github.com/canisterd/canisterd/daemon/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type deployFlags struct {
	only []string
	mode string
}

func (c *cli) deploy() *cobra.Command {
	var f deployFlags
	cmd := &cobra.Command{
		Use:   "deploy [FOLDER]",
		Short: "Create and install the canisters of a folder, or upgrade them, and print their ids",
		Long: `Create and install the canisters of a folder, or upgrade them, and print their
ids. The folder has a ` + project.File + `:

  canisters:
    ledger:
      wasm: ledger.wasm
      cycles: 5T
    bank:
      wasm: build/bank.wasm.gz
      init: '(principal "${ledger}")'
      after: [ledger]

Without FOLDER it is the present one, or the one above it that has a
` + project.File + `. docs/project.md says what may stand in it. Nothing is created
where a file is missing, a module is none, or arguments are not of their types.

Without a ` + project.File + `, every *.wasm and *.wasm.gz of the folder is a canister. All are created
first, so that arguments can name each other; then each is installed after those
it needs. Ids are kept in .canisterd/ for the other commands, which take names from
then on. A canister whose module has not changed is left alone; another module
is an upgrade.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := project.Nearest()
			if len(args) > 0 {
				folder = args[0]
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				tell, told := c.telling()
				done, err := c.deployFolder(ctx, d, folder, &f, tell)
				if err != nil {
					told()
					return err
				}
				t := c.table("CANISTER", "ID", "")
				for _, name := range slices.Sorted(maps.Keys(done)) {
					t.row(name, done[name].ID, done[name].Done)
				}
				return c.print(t.String(), done)
			})
		},
	}
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "install only these canisters (all are created)")
	cmd.Flags().StringVar(&f.mode, "mode", "auto", "auto, reinstall (forgets state), or upgrade")
	c.allowOutside(cmd)
	return sending(cmd)
}

// deployment is the outcome for one canister.
type deployment struct {
	ID   string `json:"canister_id"`
	Done string `json:"done"` // installed, upgraded, reinstalled, unchanged, left alone
}

// deploying is one run of deploy.
type deploying struct {
	cli        *cli
	daemon     *remote.Daemon
	project    *project.Project
	flags      *deployFlags
	store      *store
	network    network
	ids        names
	unrecorded bool // the ids are not written to the folder
}

// noteDone prints the outcome for a canister as a note.
func (c *cli) noteDone(name, what string) { c.note("%s: %s", name, what) }

// telling returns two functions: tell reports the outcome for a canister, told prints reports that were held back. If both
// outputs are terminals, the table at the end contains all outcomes, so they are held back and printed only on failure.
func (c *cli) telling() (tell func(name, what string), told func()) {
	if c.json || !terminal(c.out) || !terminal(c.err) {
		return c.noteDone, func() {}
	}
	var all [][2]string
	return func(name, what string) { all = append(all, [2]string{name, what}) }, func() {
		for _, one := range all {
			c.noteDone(one[0], one[1])
		}
	}
}

// allowOutside adds the flag that lets projects name files outside of their repository.
func (c *cli) allowOutside(cmd *cobra.Command) {
	always, _ := strconv.ParseBool(os.Getenv("CANISTERD_ALLOW_OUTSIDE")) // another text is no permission
	cmd.Flags().BoolVar(&c.anywhere, "allow-outside", always, "let "+project.File+" name files outside of its repository, or without one of its folder; canisters are given what is in them (environment: CANISTERD_ALLOW_OUTSIDE)")
}

// reach returns which files projects may name.
func (c *cli) reach() project.Reach {
	if c.anywhere {
		return project.Anywhere
	}
	return project.Inside
}

// deployFolder creates and installs the canisters of a folder, and calls tell with the outcome for each.
func (c *cli) deployFolder(ctx context.Context, d *remote.Daemon, folder string, f *deployFlags, tell func(name, what string)) (map[string]deployment, error) {
	p, err := project.Read(folder, c.reach())
	if err != nil {
		return nil, err
	}
	for _, name := range f.only {
		if p.Canisters[name] == nil {
			return nil, fmt.Errorf("--only %s: there is no such canister in %s", name, folder)
		}
	}
	if f.mode != "auto" && f.mode != "reinstall" && f.mode != "upgrade" {
		return nil, fmt.Errorf("--mode %q: say auto, reinstall or upgrade", f.mode)
	}
	order, err := p.Order()
	if err != nil {
		return nil, err
	}
	x := &deploying{cli: c, daemon: d, project: p, flags: f}
	if x.store, err = readStore(folder); err != nil {
		return nil, err
	}
	if x.network, err = c.networkOf(ctx, d); err != nil {
		return nil, err
	}
	if err := x.claim(ctx); err != nil {
		return nil, err
	}
	return x.createAll(ctx, order, tell)
}

// createAll creates the canisters in this order, and then installs them.
func (x *deploying) createAll(ctx context.Context, order []string, tell func(name, what string)) (map[string]deployment, error) {
	if err := x.project.Check(x.flags.only, x.ids); err != nil {
		return nil, err
	}
	if err := x.checkSubnets(ctx); err != nil {
		return nil, err
	}
	for _, name := range order {
		drawn := x.cli.doing("creating " + name)
		err := x.create(ctx, name)
		drawn()
		if err != nil {
			return nil, fmt.Errorf("creating %s: %w", name, err)
		}
		if err := x.record(ctx); err != nil { // after each, so that a failure leaves no canister unrecorded
			return nil, err
		}
	}
	return x.installAll(ctx, order, tell)
}

// checkSubnets finds the subnets that the project names.
func (x *deploying) checkSubnets(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(x.project.Canisters)) {
		if len(x.flags.only) > 0 && !slices.Contains(x.flags.only, name) {
			continue
		}
		if _, err := x.cli.subnetOf(ctx, x.daemon, x.project.Canisters[name].Subnet); err != nil {
			return fmt.Errorf("canister %s: subnet: %w", name, err)
		}
	}
	return nil
}

// installAll installs the requested canisters, in this order.
func (x *deploying) installAll(ctx context.Context, order []string, tell func(name, what string)) (map[string]deployment, error) {
	done := map[string]deployment{}
	for _, name := range order {
		what := "left alone"
		if len(x.flags.only) == 0 || slices.Contains(x.flags.only, name) {
			drawn := x.cli.doing("installing " + name)
			var err error
			what, err = x.install(ctx, name)
			drawn()
			if err != nil {
				return nil, fmt.Errorf("installing %s: %w", name, err)
			}
		}
		done[name] = deployment{x.ids[name], what}
		tell(name, what)
	}
	return done, nil
}

// create creates a canister unless the one of an earlier run still exists.
func (x *deploying) create(ctx context.Context, name string) error {
	spec := x.project.Canisters[name]
	if x.ids[name] != "" {
		return nil
	}
	amount, err := quantity.ParseCycles(spec.Cycles)
	if err != nil {
		return err
	}
	sender, err := x.cli.sender()
	if err != nil {
		return err
	}
	subnet, err := x.cli.subnetOf(ctx, x.daemon, spec.Subnet)
	if err != nil {
		return err
	}
	created, err := x.daemon.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{
		Instance: x.cli.instance, Cycles: amount, CanisterId: spec.ID, SubnetId: subnet, Sender: sender,
	})
	if err == nil {
		x.ids[name] = created.GetCanisterId()
	}
	return err
}

// install updates the settings of a canister and installs its module as the project describes.
func (x *deploying) install(ctx context.Context, name string) (string, error) {
	spec, id := x.project.Canisters[name], x.ids[name]
	settings, err := x.project.Given(name, x.ids)
	if err != nil {
		return "", err
	}
	if _, err := x.daemon.Canisters.UpdateSettings(ctx, &controlv1.UpdateSettingsRequest{Instance: x.cli.instance, CanisterId: id, Settings: settingsOf(settings)}); err != nil {
		return "", err
	}
	path := x.project.Path(spec.Wasm)
	head := &controlv1.InstallHead{Instance: x.cli.instance, CanisterId: id, Features: spec.Features}
	argument, err := spec.Argument(name, x.ids)
	if err != nil {
		return "", err
	}
	head.Argument = valueOf(argument)
	if head.Sender, err = x.cli.sender(); err != nil {
		return "", err
	}
	switch x.flags.mode {
	case "reinstall":
		head.Mode = controlv1.InstallMode_INSTALL_MODE_REINSTALL
	case "upgrade":
		head.Mode = controlv1.InstallMode_INSTALL_MODE_UPGRADE
	default:
		if same, err := x.unchanged(ctx, id, name); same || err != nil {
			return "unchanged", err
		}
	}
	installed, err := x.cli.install(ctx, x.daemon, head, path)
	if err != nil {
		x.cli.hintFeature(err, "say features: [wasi] for "+name+" in "+project.File)
		return "", err
	}
	switch installed.GetMode() {
	case controlv1.InstallMode_INSTALL_MODE_UPGRADE:
		return "upgraded", nil
	case controlv1.InstallMode_INSTALL_MODE_REINSTALL:
		return "reinstalled", nil
	}
	return "installed", nil
}

// unchanged reports whether a canister runs the module that the project has for it.
func (x *deploying) unchanged(ctx context.Context, id, name string) (bool, error) {
	module, err := x.project.Module(name)
	if err != nil {
		return false, fmt.Errorf("reading the module: %w", err)
	}
	got, err := x.daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: x.cli.instance, CanisterId: id})
	if err != nil {
		return false, err
	}
	hash := sha256.Sum256(module)
	return bytes.Equal(hash[:], got.GetCanister().GetModuleHash()), nil
}
