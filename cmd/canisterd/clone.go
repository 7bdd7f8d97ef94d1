package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// cloneFlags say what is cloned, and how.
type cloneFlags struct {
	from, snapshot, into, cycles string
	take, yes                    bool
	dependencies                 bool
	standIns                     []string          // files and ids
	init                         map[string]string // arguments of published modules, by ids
}

func (c *cli) clone() *cobra.Command {
	var f cloneFlags
	var arguments []string
	cmd := &cobra.Command{
		Use:   "clone [ID...]",
		Short: "Clone canisters of another network with their state",
		Long: `Clone canisters of another network with their state: read a snapshot of each, and load it
into a canister of the same id in an instance, with the settings and the balance it has
there. A subnet is added for an id that no subnet of the instance has. The sender becomes
a controller.

--from is ic (the Internet Computer), the URL of a network, an instance of this daemon, a
directory that canisterd canister snapshot download or icp-cli wrote, or a file that
canisterd instance export (also with --journal) or state export wrote. Networks are read
as --identity, which must be a controller or be allowed to read snapshots, and every
answer is verified. Without --snapshot the newest snapshot is read. --take takes one,
which costs the canister cycles and memory, and deletes it afterwards. Nothing else is
written to the network. Of a file, the state at its end is read.

--with-dependencies also clones the canisters that the canisters call, directly or
through others: those in environment variables, in calls that an instance remembers, and
in after: of canisterd.yaml. For those that --identity may not read, the module that the
source certifies is installed with empty state, if canisterd knows it and has its bytes
(canisterd modules). --init gives the arguments of the installation. The others get a
stand-in, which answers queries with recorded replies (canisterd clone record). --stand-in
makes the one of a file, or of the canister with an id.

Snapshots are kept in .canisterd/clones of the project, readable by you alone, and are not
read twice. A clone that was interrupted goes on when it is called again.`,
		Example: `  canisterd clone rdmx6-jaaaa-aaaaa-aaadq-cai --identity alice --take
  canisterd clone rdmx6-jaaaa-aaaaa-aaadq-cai --from http://127.0.0.1:8000 --into lab
  canisterd clone rdmx6-jaaaa-aaaaa-aaadq-cai --from ./bug.journal
  canisterd clone rdmx6-jaaaa-aaaaa-aaadq-cai --identity alice --take --with-dependencies`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cloneIDs(args)
			if err == nil && len(ids)+len(f.standIns) == 0 {
				err = errors.New("expected the id of a canister, or --stand-in FILE|ID")
			}
			if err == nil {
				f.init, err = initArguments(arguments)
			}
			if err != nil {
				return err
			}
			c.instance = cmp.Or(f.into, c.instance)
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				return c.cloneAll(ctx, d, ids, &f)
			})
		},
	}
	cmd.Flags().StringVar(&f.from, "from", clone.FromMainnet, "ic, the URL of a network, an instance, a directory with a snapshot, or a file with a network")
	cmd.Flags().StringVar(&f.snapshot, "snapshot", "", "snapshot to read ("+snapshotIDUsage+"; default: the newest)")
	cmd.Flags().BoolVar(&f.take, "take", false, "take a snapshot, and delete it afterwards")
	cmd.Flags().StringVar(&f.into, "into", "", "instance that gets the clones (default: that of --instance)")
	cmd.Flags().StringVar(&f.cycles, "cycles", "", "balance of the clones, such as 5T (default, and of dependencies: as at the source, else 100T)")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask before a snapshot is taken, or before a canister of the instance is replaced")
	cmd.Flags().BoolVar(&f.dependencies, "with-dependencies", false, "also clone the canisters that they call, or install their published modules, or make stand-ins for them")
	cmd.Flags().StringArrayVar(&f.standIns, "stand-in", nil, "make the stand-in of a file of canisterd clone record, or of a canister by its id (repeatable)")
	cmd.Flags().StringArrayVar(&arguments, "init", nil, "argument with which a published module is installed, such as 'ID=(record {})' (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("snapshot", "take")
	cmd.MarkFlagsMutuallyExclusive("snapshot", "with-dependencies")
	cmd.AddCommand(c.cloneForget(), c.cloneRecord())
	return sending(cmd)
}

func cloneIDs(args []string) (ids []principal.Principal, err error) {
	for _, arg := range args {
		id, err := principal.Parse(arg)
		if err != nil {
			return nil, fmt.Errorf("invalid canister id %q: expected the id that the canister has at the source (canisterd -i INSTANCE canister id NAME prints that of an instance)", arg)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// cloned is a clone for --json, a stand-in, or a canister that was not cloned.
type cloned struct {
	Canister string `json:"canister_id"`
	Subnet   string `json:"subnet_id"`
	From     string `json:"from"`
	Snapshot string `json:"snapshot_id,omitempty"` // none of a directory
	Bytes    int64  `json:"bytes"`
	// Caller is the canister that calls it; "": it was asked for. NotCloned says why it is no clone, and Replies counts the
	// recorded replies if it is a stand-in.
	Caller    string `json:"called_by,omitempty"`
	NotCloned string `json:"not_cloned,omitempty"`
	Replies   *int   `json:"recorded_replies,omitempty"`
	// Published is the SHA-256 of the published module that it runs with empty state, installed with the argument Init.
	// NotPublished says why the module that is known was not installed.
	Published    string `json:"published_module,omitempty"`
	Init         string `json:"init,omitempty"`
	NotPublished string `json:"module_not_installed,omitempty"`
	Digest       string `json:"sha256,omitempty"` // of the SHA-256 of all slices
	Folder       string `json:"folder"`
	// Module is what the daemon knows of its module.
	Module string `json:"known_module,omitempty"`
	// Variables are the names of the environment variables that came along.
	Variables []string `json:"environment_variables"`
	// Missing are canisters that environment variables name and the instance does not have.
	Missing []string `json:"missing_canisters"`
	// Dropped are controllers that the clone does not have.
	Dropped []string `json:"dropped_controllers,omitempty"`
}

// cloning is one run of clone.
type cloning struct {
	*cli
	daemon *remote.Daemon
	flags  *cloneFlags
	folder string // of the project
	cache  clone.Cache
	source *clone.Source // nil: a directory
	file   bool          // the source is the network of a file: it ends with this run
	sender principal.Principal
	// replaced says which canisters the instance has already, and the user agreed to replace.
	replaced map[principal.Principal]bool
	// others are canisters of the project, which makes those itself that are clones.
	others map[string]*project.Canister
	// recorded are canisters whose stand-ins are recorded now, and choices say what becomes of those that cannot be cloned.
	recorded []principal.Principal
	choices  *clone.Choices
}

func (c *cli) cloneAll(ctx context.Context, d *remote.Daemon, ids []principal.Principal, f *cloneFlags) error {
	x, err := c.newCloning(d, f, project.Nearest())
	if err != nil {
		return err
	}
	closed, err := x.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	switch {
	case x.source == nil && len(ids) > 1:
		return fmt.Errorf("%s has the snapshot of one canister: clone one at a time", f.from)
	case x.source == nil && f.dependencies:
		return fmt.Errorf("%s has the snapshot of one canister: leave out --with-dependencies", f.from)
	}
	if err := x.readChoices(ids); err != nil {
		return err
	}
	members, err := x.gather(ctx, ids)
	if err != nil {
		return err
	}
	all, err := x.loadAll(ctx, members)
	if err != nil {
		return err
	}
	t := c.table("CANISTER", "SIZE", "SNAPSHOT")
	for _, one := range all {
		t.row(one.Canister, one.size(), one.kind())
	}
	if err := c.print(t.String(), all); err != nil {
		return err
	}
	x.tellLimits(all)
	return nil
}

// size and kind describe what was cloned, for people.
func (o *cloned) size() string {
	if o.NotCloned != "" || o.Replies != nil || o.Published != "" {
		return "-"
	}
	return size(o.Bytes)
}

func (o *cloned) kind() string {
	switch {
	case o.Replies != nil:
		return "stand-in with " + replies(*o.Replies)
	case o.Published != "":
		return "published module with empty state"
	case o.NotCloned != "":
		return "not cloned"
	}
	return cmp.Or(o.Snapshot, o.Folder)
}

// newCloning returns a run of clone for a project, without a connection to the source.
func (c *cli) newCloning(d *remote.Daemon, f *cloneFlags, folder string) (*cloning, error) {
	x := &cloning{cli: c, daemon: d, flags: f, folder: folder, cache: clone.CacheIn(folder), sender: principal.Anonymous, replaced: map[principal.Principal]bool{}}
	sender, err := c.sender()
	if err != nil {
		return nil, err
	}
	if sender != "" {
		if x.sender, err = principal.Parse(sender); err != nil {
			return nil, err
		}
	}
	f.cycles, err = quantity.ParseCycles(f.cycles)
	return x, err
}

// connect connects to the source, unless it is a directory.
func (x *cloning) connect(ctx context.Context) (closed func(), err error) {
	f := x.flags
	if f.from != clone.FromMainnet && isSnapshotDirectory(f.from) {
		if f.take || f.snapshot != "" {
			return nil, fmt.Errorf("%s is a directory with a snapshot: leave out --take and --snapshot", f.from)
		}
		return func() {}, nil
	}
	if x.file = isExportedFile(f.from); x.file && f.take {
		return nil, fmt.Errorf("%s is a file, whose state at its end is read: leave out --take", f.from)
	}
	x.source, closed, err = x.cloneSource(ctx, x.daemon, f.from)
	return closed, err
}

// loaded loads a snapshot into the instance, and describes the clone.
func (x *cloning) loaded(ctx context.Context, m *clone.Member) (*cloned, error) {
	id, e := m.Canister, m.Entry
	done, err := x.load(ctx, m)
	if err != nil {
		return nil, err
	}
	one := &cloned{
		Canister: id.String(), Subnet: done.Subnet, From: x.flags.from, Snapshot: hex.EncodeToString(e.Record.Snapshot), Bytes: done.Bytes,
		Folder: e.Folder, Variables: []string{}, Missing: []string{},
	}
	if digest, err := snapshotdir.Digest(e.Folder); err == nil {
		one.Digest = hex.EncodeToString(digest)
	}
	for _, p := range done.Dropped {
		one.Dropped = append(one.Dropped, p.String())
	}
	found, err := x.existing(ctx, x.daemon, one.Canister)
	if err != nil {
		return nil, err
	}
	one.Module = moduleText(found.GetKnownModule())
	return one, nil
}

// fetch returns the snapshot of a canister, which is in a directory then.
func (x *cloning) fetch(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
	if x.source == nil {
		return &clone.Entry{Folder: x.flags.from}, nil
	}
	if err := deployed.MakeDirectory(x.folder); err != nil {
		return nil, err
	}
	e, err := x.find(ctx, id)
	if err != nil {
		return nil, err
	}
	download := x.source.Download
	if x.flags.take || x.file {
		download = x.source.DownloadTaken
	}
	tell, told := x.transfer("reading " + id.String())
	err = download(ctx, e, tell)
	told()
	return e, err
}

// find returns the snapshot to read: a new one, the one of --snapshot, the newest at the source, or else in the cache.
func (x *cloning) find(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
	switch {
	case x.flags.take:
		return x.take(ctx, id)
	case x.file && x.flags.snapshot == "":
		return x.source.Take(ctx, x.cache, id)
	}
	var snapshot []byte
	var err error
	if x.flags.snapshot != "" {
		snapshot, err = snapshotID(x.flags.snapshot)
	} else {
		snapshot, err = x.source.Newest(ctx, id)
	}
	var none *clone.NoSnapshotError
	if errors.As(err, &none) {
		if cached, failed := x.cache.Newest(id, x.flags.from); cached != nil || failed != nil {
			return cached, failed
		}
	}
	if err != nil {
		return nil, err
	}
	return x.source.Use(ctx, x.cache, id, snapshot)
}

// take takes a snapshot, once the user knows what it costs. The one of an interrupted clone is used if it is still there.
func (x *cloning) take(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
	e, err := x.source.Unfinished(ctx, x.cache, id)
	if err != nil {
		return nil, err
	}
	if e != nil {
		x.note("note: going on with snapshot %s of %s", hex.EncodeToString(e.Record.Snapshot), id)
		return e, nil
	}
	status, _, err := x.source.Canister(id).Status(ctx)
	if err != nil {
		return nil, err
	}
	memory, _ := status.Memory.Uint64()
	cost := clone.CostOf(memory)
	x.note("note: the snapshot costs %s about %s cycles, reading it %s cycles, and it occupies about %s until it is deleted", id, grouped(cost.Take.String()), grouped(cost.Read.String()), size(int64(cost.Memory)))
	if err := x.agreed("take", fmt.Sprintf("a snapshot of %s at %s", id, x.flags.from), x.flags.yes); err != nil {
		return nil, err
	}
	return x.source.Take(ctx, x.cache, id)
}

// confirmReplaced asks before a canister that the instance has is replaced, and reports whether it has it.
func (x *cloning) confirmReplaced(ctx context.Context, id principal.Principal) (bool, error) {
	found, err := x.existing(ctx, x.daemon, id.String())
	if err != nil || len(found.GetModuleHash()) == 0 {
		return false, err
	}
	return true, x.agreed("replace", fmt.Sprintf("the code and the state of %s in instance %s", id, x.instanceName()), x.flags.yes)
}

// destination returns the instance that gets the clones.
func (x *cloning) destination() *clone.Destination {
	return networks.To(networks.Instance{Daemon: x.daemon, Name: x.instance}, func(sender string) clone.Caller {
		return x.caller(x.daemon, x.instance, sender)
	})
}

// load loads a snapshot into the instance.
func (x *cloning) load(ctx context.Context, m *clone.Member) (*clone.Loaded, error) {
	tell, told := x.transfer("loading " + m.Canister.String())
	defer told()
	options := clone.LoadOptions{Controller: x.sender, Replace: x.replaced[m.Canister], Tell: tell}
	if m.Known == "" {
		options.Cycles = x.flags.cycles
	}
	return x.destination().Load(ctx, m.Canister, m.Entry, options)
}

// describeVariables names the environment variables of a clone, and the canisters in them that the instance does not have.
func (x *cloning) describeVariables(ctx context.Context, e *clone.Entry, one *cloned) error {
	status, err := e.Status()
	if err != nil || status == nil || status.Settings.Environment == nil {
		return err
	}
	for _, v := range *status.Settings.Environment {
		one.Variables = append(one.Variables, v.Name)
		id, err := principal.Parse(v.Value)
		if err != nil {
			continue
		}
		if _, is := id.CanisterNumber(); !is {
			continue
		}
		if found, err := x.existing(ctx, x.daemon, id.String()); err != nil {
			return err
		} else if found == nil && !slices.Contains(one.Missing, id.String()) {
			one.Missing = append(one.Missing, id.String())
		}
	}
	return nil
}

// replies counts recorded replies.
func replies(n int) string {
	if n == 1 {
		return "1 recorded reply"
	}
	return fmt.Sprintf("%d recorded replies", n)
}

// tellLimits tells where data of the source is now, and what the clones do not have.
func (x *cloning) tellLimits(all []*cloned) {
	clones := slices.ContainsFunc(all, func(one *cloned) bool { return one.Folder != "" })
	if x.source != nil && clones {
		x.note("note: the snapshots are in %s, readable by you alone: canisterd clone forget removes them", string(x.cache))
	}
	x.tellSubstitutions(all)
	for _, one := range all {
		if one.Module != "" && one.Folder != "" {
			x.note("note: %s runs the %s", one.Canister, one.Module)
		}
		if len(one.Variables) > 0 {
			x.note("note: %s has the values of its environment variables from %s: %s", one.Canister, one.From, strings.Join(one.Variables, ", "))
		}
		if len(one.Missing) > 0 {
			x.note("note: %s may call canisters that instance %s does not have: %s", one.Canister, x.instanceName(), strings.Join(one.Missing, ", "))
		}
		if len(one.Dropped) > 0 {
			x.note("note: %s has no room for these controllers: %s", one.Canister, strings.Join(one.Dropped, ", "))
		}
	}
	if x.source == nil {
		x.note("note: a directory has no settings: the clone has the default ones")
	}
	if !clones {
		return
	}
	x.note("note: calls in flight, the log and the history do not come along; threshold keys are others, and so are addresses")
}
