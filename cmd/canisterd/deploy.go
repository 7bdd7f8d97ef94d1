package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/assets"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

type deployFlags struct {
	only     []string
	mode     string
	yes      bool
	noBuild  bool
	rehearse bool
}

func (c *cli) deploy() *cobra.Command {
	var f deployFlags
	cmd := &cobra.Command{
		Use:   "deploy [DIR]",
		Short: "Create and install or upgrade the canisters of a directory, and print their ids",
		Long: `Create and install or upgrade the canisters of a directory, and print their ids. The
directory has a ` + project.File + `:

  canisters:
    ledger:
      wasm: ledger.wasm
      cycles: 5T
    bank:
      motoko: {main: src/bank/main.mo}
      init: '(principal "${ledger}")'
      after: [ledger]

DIR defaults to the current directory, or the nearest one above it that has a
` + project.File + `. docs/project.md lists the keys. Modules with build:, motoko: or rust: are built
first: that runs code of the project, as make does. Files, modules and arguments are
checked before anything is created.

Without a ` + project.File + `, each *.wasm and *.wasm.gz of the directory is a canister. All
canisters are created first, so that arguments can refer to each other, and then
installed, each after those it refers to. Ids are stored in .canisterd/, and other
commands accept the names. A canister whose module has changed is upgraded. If only its
settings have changed, they are updated. If the arguments differ from those passed last,
deploy says so.`,
		Example: `  canisterd deploy
  canisterd deploy --only bank --mode upgrade
  canisterd -i staging deploy --network staging`,
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
					t.row(name, done[name].ID, done[name].text())
				}
				return c.print(t.String(), done)
			})
		},
	}
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "install only these canisters (all are created)")
	cmd.Flags().StringVar(&f.mode, "mode", "auto", "auto, reinstall (the state is lost) or upgrade")
	cmd.Flags().BoolVar(&f.yes, "yes", false, reinstallYes)
	cmd.Flags().BoolVar(&f.noBuild, "no-build", false, "build nothing: deploy the modules that are there")
	cmd.Flags().BoolVar(&f.rehearse, "rehearse", false, "rehearse each upgrade on forks first, and change nothing if one fails (canisterd rehearse)")
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	return sending(cmd)
}

// deployment is the outcome for one canister.
type deployment struct {
	ID   string `json:"canister_id"`
	Done string `json:"done"` // installed, upgraded, reinstalled, cloned, settings changed, unchanged, left alone
	// Settings are those that were changed, by their keys in canisterd.yaml; none of a canister without a module.
	Settings []string `json:"settings_changed,omitempty"`
	// Frontend counts the files of the front end; nil: the canister has none.
	Frontend *assets.Done `json:"frontend,omitempty"`
	// Ignored are the keys of canisterd.yaml that differ from what the canister was made with, and were not applied.
	Ignored []string `json:"ignored,omitempty"`
}

// text is the outcome for people.
func (d deployment) text() string {
	if d.Frontend != nil && d.Frontend.Uploaded+d.Frontend.Deleted > 0 {
		return fmt.Sprintf("%s, %s uploaded, %d deleted", d.module(), count(uint64(d.Frontend.Uploaded), "file"), d.Frontend.Deleted)
	}
	return d.module()
}

// module is the outcome for people without the front end.
func (d deployment) module() string {
	switch {
	case len(d.Settings) == 0:
		return d.Done
	case d.Done == settingsChanged:
		return fmt.Sprintf("%s (%s)", d.Done, strings.Join(d.Settings, ", "))
	}
	return fmt.Sprintf("%s, %s (%s)", d.Done, settingsChanged, strings.Join(d.Settings, ", "))
}

// deploying is one run of deploy.
type deploying struct {
	cli     *cli
	daemon  *remote.Daemon
	project *project.Project
	flags   *deployFlags
	store   *deployed.Store
	network network
	ids     names
	passed  map[string]string // digests of arguments that were passed and are not recorded yet, by name
	tell    func(name, what string)
	done    map[string]deployment // the outcomes so far
	cloned  map[string]bool       // canisters that this run has cloned
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
	cmd.Flags().BoolVar(&c.anywhere, "allow-outside", always, "let "+project.File+" refer to files outside its Git repository, or outside its directory if it is in none (environment: CANISTERD_ALLOW_OUTSIDE)")
}

// reach returns which files projects may name.
func (c *cli) reach() project.Reach {
	if c.anywhere {
		return project.Anywhere
	}
	return project.Inside
}

// selectNetwork adds the flag that selects a network of the project.
func (c *cli) selectNetwork(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.projectNetwork, "network", c.projectNetwork, "section of networks: in "+project.File+" to use; -i selects the instance (default: none; environment: CANISTERD_NETWORK)")
}

// readProject reads the project in a folder.
func (c *cli) readProject(folder string) (*project.Project, error) {
	return project.ReadFor(folder, c.reach(), c.projectNetwork)
}

// deployFolder builds, creates and installs the canisters of a folder, and calls tell with the outcome for each.
func (c *cli) deployFolder(ctx context.Context, d *remote.Daemon, folder string, f *deployFlags, tell func(name, what string)) (map[string]deployment, error) {
	p, err := c.readProject(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range f.only {
		if p.Canisters[name] == nil {
			return nil, fmt.Errorf("--only %s: no such canister in %s", name, folder)
		}
	}
	if f.mode != "auto" && f.mode != "reinstall" && f.mode != "upgrade" {
		return nil, fmt.Errorf("invalid --mode %q: expected auto, reinstall or upgrade", f.mode)
	}
	if _, err := p.Order(); err != nil {
		return nil, err
	}
	x := &deploying{cli: c, daemon: d, project: p, flags: f, tell: tell, done: map[string]deployment{}, cloned: map[string]bool{}}
	if x.store, err = deployed.Read(folder); err != nil {
		return nil, err
	}
	if x.network, err = c.networkOf(ctx, d); err != nil {
		return nil, err
	}
	if err := x.claim(ctx); err != nil {
		return nil, err
	}
	if err := x.confirmReinstall(ctx); err != nil {
		return nil, err
	}
	if !f.noBuild {
		if err := c.buildModules(ctx, p, f.only); err != nil {
			return nil, err
		}
	}
	if err := p.Deploy(ctx, f.only, x.principals(), x); err != nil {
		return nil, err
	}
	return x.done, nil
}

// Check finds the subnets that the project names, and rehearses upgrades if that is requested.
func (x *deploying) Check(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(x.project.Canisters)) {
		if !chosen(x.flags.only, name) {
			continue
		}
		if _, err := x.cli.subnetOf(ctx, x.daemon, x.project.Canisters[name].Subnet); err != nil {
			return fmt.Errorf("canister %s: subnet: %w", name, err)
		}
		if !x.flags.rehearse {
			continue
		}
		if err := x.rehearse(ctx, name); err != nil {
			return fmt.Errorf("canister %s: %w", name, err)
		}
	}
	return nil
}

// Install installs a canister, unless only others are requested.
func (x *deploying) Install(ctx context.Context, name string) (err error) {
	one := deployment{Done: "left alone"}
	switch {
	case x.cloned[name]:
		one.Done = "cloned"
	case x.project.Canisters[name].Clone != nil:
		one.Done = "unchanged"
	case chosen(x.flags.only, name):
		drawn := x.cli.doing("installing " + name)
		one, err = x.install(ctx, name)
		if err == nil && x.project.Canisters[name].Frontend != "" {
			one.Frontend, err = x.uploadFrontend(ctx, name)
		}
		drawn()
		if err != nil {
			return err
		}
	}
	one.ID = x.ids[name]
	x.done[name] = one
	x.tell(name, one.text())
	return nil
}

// Create creates a canister, unless the one of an earlier run still exists. It is recorded at once, so that a failure
// leaves no canister unrecorded.
func (x *deploying) Create(ctx context.Context, name string) error {
	drawn := x.cli.doing("creating " + name)
	err := x.create(ctx, name)
	drawn()
	if err != nil {
		return err
	}
	return x.record(ctx)
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
