package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/standin"
)

// recordFlags say what is recorded, and where.
type recordFlags struct {
	cloneFlags

	file, candid string
}

func (c *cli) cloneRecord() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record ID QUERY...",
		Short: "Record replies of a canister of another network, and let a stand-in answer with them",
		Long: `Record replies of a canister of another network, and let a stand-in answer with them: a
canister of the same id in an instance. It replies to queries with the recorded replies,
by method and argument. It rejects queries with other arguments, and updates. Replies to
queries are not certified, and neither is what the stand-in replies.

A QUERY is a method, and its arguments if it has some. A single argument needs no
parentheses, and ${NAME} stands for the principal of an identity. Requests are made as
--identity. Types come from the interface of the canister, or from --candid.

Replies are kept in .canisterd/clones of the project, or in --file, beside those that are
there. canisterd clone --stand-in FILE makes the stand-in of a file.`,
		Example: `  canisterd clone record ryjl3-tyaaa-aaaaa-aaaba-cai icrc1_symbol 'icrc1_balance_of record { owner = principal "${alice}" }'
  canisterd clone record ryjl3-tyaaa-aaaaa-aaaba-cai icrc1_fee --from http://127.0.0.1:8000 --file ledger.yaml`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cloneIDs(args[:1])
			if err != nil {
				return err
			}
			c.instance = cmp.Or(f.into, c.instance)
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				return c.record(ctx, d, ids[0], args[1:], &f)
			})
		},
	}
	cmd.Flags().StringVar(&f.from, "from", clone.FromMainnet, "ic, the URL of a network, or an instance")
	cmd.Flags().StringVar(&f.into, "into", "", "instance that gets the stand-in (default: that of --instance)")
	cmd.Flags().StringVar(&f.file, "file", "", "file with the replies (default: one in .canisterd/clones)")
	cmd.Flags().StringVar(&f.candid, "candid", "", "interface (.did file) of the canister, if it does not show its own")
	return sending(cmd)
}

// recorded is a recorded query for --json.
type recorded struct {
	Method   string `json:"method"`
	Argument string `json:"argument"`
	Reply    string `json:"reply,omitempty"`
	Reject   string `json:"reject,omitempty"`
}

func (c *cli) record(ctx context.Context, d *remote.Daemon, id principal.Principal, queries []string, f *recordFlags) error {
	x, err := c.newCloning(d, &f.cloneFlags, project.Nearest())
	if err != nil {
		return err
	}
	if f.from != clone.FromMainnet && isSnapshotDirectory(f.from) {
		return fmt.Errorf("%s is a directory with a snapshot, and no network to query: leave out --from, or pass a URL or an instance", f.from)
	}
	closed, err := x.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	r, path, err := x.recording(ctx, id, f)
	if err != nil {
		return err
	}
	all := []recorded{}
	t := c.table("METHOD", "ARGUMENT", "REPLY")
	for _, text := range queries {
		one, err := x.recordOne(ctx, r, text)
		if err != nil {
			return fmt.Errorf("query %s: %w", text, err)
		}
		all = append(all, *one)
		t.row(one.Method, one.Argument, oneLine(cmp.Or(one.Reply, "rejected: "+one.Reject)))
	}
	if err := x.makeStandIn(ctx, r, &cloned{Canister: id.String()}); err != nil {
		return err
	}
	if err := x.keep(r, f); err != nil {
		return err
	}
	if err := c.print(t.String(), all); err != nil {
		return err
	}
	c.note("note: the stand-in for %s in instance %s has %s, from %s: they are not certified", id, c.instanceName(), replies(len(r.Replies)), path)
	return nil
}

// recording returns the recording to which replies are added, and its file.
func (x *cloning) recording(ctx context.Context, id principal.Principal, f *recordFlags) (r *standin.Recording, path string, err error) {
	path = cmp.Or(f.file, x.cache.RecordingPath(id))
	known, err := clone.ReadRecording(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	if r, err = x.source.Recording(ctx, id); err != nil {
		return nil, "", err
	}
	if known != nil {
		if known.Canister != id {
			return nil, "", fmt.Errorf("%s is a stand-in for %s: choose another file for %s", path, known.Canister, id)
		}
		r.Network, r.From, r.Replies = known.Network, known.From, known.Replies
		r.Interface = cmp.Or(r.Interface, known.Interface)
	}
	if f.candid == "" {
		return r, path, nil
	}
	description, err := project.ReadInterface(f.candid, regular.Read)
	if err != nil {
		return nil, "", err
	}
	r.Interface = description.String()
	return r, path, nil
}

// keep writes a recording to its file.
func (x *cloning) keep(r *standin.Recording, f *recordFlags) error {
	if f.file != "" {
		return clone.WriteRecording(f.file, r)
	}
	if err := deployed.MakeDirectory(x.folder); err != nil {
		return err
	}
	return x.cache.PutRecording(r)
}

// recordOne asks a query and adds the answer to a recording.
func (x *cloning) recordOne(ctx context.Context, r *standin.Recording, text string) (*recorded, error) {
	name, words, _ := strings.Cut(strings.TrimSpace(text), " ")
	words, err := x.withIDs(words)
	if err != nil {
		return nil, err
	}
	m, err := queryOf(r, name)
	if err != nil {
		return nil, err
	}
	arguments := project.FromText(words).Text
	q := clone.Query{Method: name}
	if q.Argument, err = m.EncodeArgs(arguments); err != nil {
		return nil, err
	}
	if err := x.source.Record(ctx, r, q); err != nil {
		return nil, err
	}
	reply := r.Find(name, q.Argument)
	one := &recorded{Method: name, Argument: arguments, Reject: reply.Reject}
	if reply.Reply == nil {
		return one, nil
	}
	values, err := m.DecodeResults(reply.Reply)
	if err != nil {
		return nil, fmt.Errorf("the reply: %w", err)
	}
	one.Reply = candid.FormatArgs(values)
	return one, nil
}

// queryOf returns a query method of the interface of a recording.
func queryOf(r *standin.Recording, name string) (m did.Method, err error) {
	if r.Interface == "" {
		return m, fmt.Errorf("canister %s does not show its interface: pass --candid FILE", r.Canister)
	}
	file, err := did.Parse(r.Interface)
	if err != nil {
		return m, err
	}
	m, found := file.Method(name)
	switch {
	case !found:
		return m, fmt.Errorf("canister %s has no method %s", r.Canister, name)
	case !standin.IsQuery(m):
		return m, fmt.Errorf("%s is an update method: only queries can be recorded", name)
	}
	return m, nil
}
