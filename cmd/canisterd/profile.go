package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// profileFlags say what is profiled, and how a profile is written.
type profileFlags struct {
	form, out string
	top       int

	call   callFlags
	query  bool
	during bool
	exec   execFlags
}

const (
	tableForm      = "table"
	treeForm       = "tree"
	pprofForm      = "pprof"
	foldedForm     = "folded"
	speedscopeForm = "speedscope"
)

// shownShare is the share of all instructions from which a path is shown in a tree.
const shownShare = 0.01

// formsByEnding are the forms of files by the end of their names.
var formsByEnding = map[string]string{".pprof": pprofForm, ".pb.gz": pprofForm, ".folded": foldedForm, ".json": speedscopeForm, ".txt": tableForm}

func (c *cli) profile() *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile CANISTER.METHOD [ARGUMENTS]",
		Short: "Show where a call, or a whole test run, spends instructions",
		Long: `Show where a call spends instructions: per function and call path, across awaits,
callbacks and canisters. The counts are exact, and canisters need not be built for it.
ARGUMENTS are those of canisterd canister call.

With --during, profile everything that canisters do while a command runs, also their
installation: in an instance of its own (canisterd exec), or in that of -i.

Functions have the names of the module's name section; without one, their numbers.`,
		Example: `  canisterd profile bank.withdraw 100
  canisterd profile bank.balance --query --out balance.pprof
  canisterd profile --during --deploy . -- npm test
  canisterd profile --during --out test.json -- go test ./...`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.during {
				return c.profileDuring(cmd.Context(), &f, args)
			}
			return c.profileCall(cmd.Context(), &f, args)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	f.call.argumentFlags.add(cmd, "ARGUMENTS")
	flags.BoolVar(&f.query, "query", false, "send a query instead of an update")
	flags.BoolVar(&f.during, "during", false, "profile all canisters while a command runs")
	flags.StringVar(&f.exec.deploy, "deploy", "", "with --during, deploy the canisters of this directory first")
	flags.StringVar(&f.exec.from, "fork", "", "with --during, fork this instance, NAME or NAME@SNAPSHOT, instead of creating an empty one")
	cmd.MarkFlagsMutuallyExclusive("during", "query")
	for _, flag := range []string{"hex", "argument-file", "candid"} {
		cmd.MarkFlagsMutuallyExclusive("during", flag)
	}
	cmd.AddCommand(c.profileStart(), c.profileRead(), c.profileStop(), c.profileCompare())
	return sending(cmd)
}

// add adds the flags of commands that write a profile.
func (f *profileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.form, "form", "", "format: table, tree, pprof (go tool pprof), folded or speedscope (default: that of the end of --out, else table)")
	cmd.Flags().StringVar(&f.out, "out", "", "write to a file; .pprof, .folded, .json (speedscope) and .txt (table) set the format")
	cmd.Flags().IntVar(&f.top, "top", 20, "show only the `N` functions with the most instructions of their own")
}

// check completes the flags.
func (f *profileFlags) check() error {
	if f.form == "" {
		f.form = tableForm
		for ending, form := range formsByEnding {
			if strings.HasSuffix(f.out, ending) {
				f.form = form
			}
		}
	}
	switch f.form {
	case tableForm, treeForm, pprofForm, foldedForm, speedscopeForm:
	default:
		return fmt.Errorf("invalid --form %q: expected table, tree, pprof, folded or speedscope", f.form)
	}
	if f.top < 1 {
		return fmt.Errorf("invalid --top %d: expected a number from 1 on", f.top)
	}
	if !f.during && (f.exec.deploy != "" || f.exec.from != "") {
		return errors.New("--deploy and --fork are for --during")
	}
	return nil
}

// profileCall profiles one call.
func (c *cli) profileCall(ctx context.Context, f *profileFlags, args []string) error {
	name, method, found := strings.Cut(args[0], ".")
	if !found || len(args) > 2 {
		return fmt.Errorf("invalid call %q: expected CANISTER.METHOD [ARGUMENTS], such as bank.withdraw 100; to profile a command, use --during -- COMMAND", strings.Join(args, " "))
	}
	f.call.form = "text"
	call, _, err := f.call.call(c, append([]string{name, method}, args[1:]...))
	if err != nil {
		return err
	}
	return c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		return c.profiled(ctx, d, f, nil, func() error { return c.profiledCall(ctx, d, f, call) })
	})
}

// profiledCall makes the call of a profile and prints the answer for people.
func (c *cli) profiledCall(ctx context.Context, d *remote.Daemon, f *profileFlags, call *controlv1.Call) error {
	outcome, err := c.send(ctx, d, f.query, call)
	if err != nil {
		return err
	}
	if _, err := remote.Reply(outcome); err != nil {
		c.hintReject(ctx, d, call.GetCanisterId(), call.GetMethod(), err)
		return c.rejected(call.GetCanisterId(), call.GetMethod(), err)
	}
	if text, ok := outcome.GetReply().GetForm().(*controlv1.Value_Text); ok {
		c.note("replied %s", candid.Pretty(text.Text))
	}
	return nil
}

// send sends a call as an update or as a query.
func (c *cli) send(ctx context.Context, d *remote.Daemon, query bool, call *controlv1.Call) (*controlv1.Outcome, error) {
	if query {
		r, err := d.Calls.Query(ctx, &controlv1.QueryRequest{Instance: c.instance, Call: call})
		return r.GetOutcome(), err
	}
	w, err := c.waitFor(d, waitFlags{}, call.GetReplyForm(), true)
	if err != nil {
		return nil, err
	}
	return w.update(ctx, call)
}

// profileOfServer says how canisters of a server in place of PocketIC's are profiled.
const profileOfServer = "begin a profile in the test, with POST /instances/ID/canisterd/start_profile (docs/pocketic.md)"

// profiled profiles an instance while it does something, and writes the profile even if that fails: a trap has one too.
// Names are those of canisters by id that the current directory does not have.
func (c *cli) profiled(ctx context.Context, d *remote.Daemon, f *profileFlags, names map[string]string, do func() error) error {
	if _, err := d.Profiler.StartProfile(ctx, &controlv1.StartProfileRequest{Instance: c.instance}); err != nil {
		return err
	}
	failed := do()
	stopped, err := d.Profiler.StopProfile(context.WithoutCancel(ctx), &controlv1.StopProfileRequest{Instance: c.instance})
	if err != nil {
		return errors.Join(failed, err)
	}
	if f.during && failed == nil && stopped.GetProfile().GetMessages() == 0 {
		c.note("note: no canister of instance %q ran. If the command starts PocketIC's server, its canisters run there: %s", c.instance, profileOfServer)
	}
	return errors.Join(failed, c.writeProfile(f, names, stopped.GetProfile()))
}

// profileDuring profiles an instance while a command runs.
func (c *cli) profileDuring(ctx context.Context, f *profileFlags, args []string) error {
	if c.as == "all" || hooks[c.as] != nil {
		return fmt.Errorf("--as %s is for canisterd exec: canisters of a server in place of PocketIC's run in instances of its own, which --during does not profile; %s", c.as, profileOfServer)
	}
	return c.during(ctx, &f.exec, args, func(ctx context.Context, d *remote.Daemon, deployed map[string]string, run func() error) error {
		return c.profiled(ctx, d, f, deployed, run)
	})
}

func (c *cli) profileStart() *cobra.Command {
	return sending(&cobra.Command{
		Use:   "start [CANISTER...]",
		Short: "Profile some canisters, or all, from now on",
		Example: `  canisterd profile start
  canisterd profile start bank ledger`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := c.canistersOf(args)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				started, err := d.Profiler.StartProfile(ctx, &controlv1.StartProfileRequest{Instance: c.instance, CanisterIds: ids})
				if err != nil {
					return err
				}
				return c.done(started, "profiling; canisterd profile read shows the profile so far, canisterd profile stop ends it")
			})
		},
	})
}

func (c *cli) profileRead() *cobra.Command {
	return c.profileResult("read", "Show the profile so far", func(ctx context.Context, d *remote.Daemon) (*controlv1.Profile, error) {
		got, err := d.Profiler.ReadProfile(ctx, &controlv1.ReadProfileRequest{Instance: c.instance})
		return got.GetProfile(), err
	})
}

func (c *cli) profileStop() *cobra.Command {
	return c.profileResult("stop", "End the profile and show it", func(ctx context.Context, d *remote.Daemon) (*controlv1.Profile, error) {
		got, err := d.Profiler.StopProfile(ctx, &controlv1.StopProfileRequest{Instance: c.instance})
		return got.GetProfile(), err
	})
}

func (c *cli) profileResult(name, short string, get func(context.Context, *remote.Daemon) (*controlv1.Profile, error)) *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Example: fmt.Sprintf("  canisterd profile %[1]s\n  canisterd profile %[1]s --out today.pprof", name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				p, err := get(ctx, d)
				if err != nil {
					return err
				}
				return c.writeProfile(&f, nil, p)
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (c *cli) profileCompare() *cobra.Command {
	var top int
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two profiles by function",
		Long:  `Compare two profiles by function. Both are files that canisterd profile --form pprof wrote.`,
		Example: `  canisterd profile compare before.pprof after.pprof
  canisterd profile compare before.pprof after.pprof --top 5`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := readProfile(args[0])
			if err != nil {
				return err
			}
			after, err := readProfile(args[1])
			if err != nil {
				return err
			}
			text := strings.TrimRight(export.Compare(before, after, top), "\n")
			return c.print(text, profileComparison{before.Profile.Instructions(), after.Profile.Instructions()})
		},
	}
	cmd.Flags().IntVar(&top, "top", 20, "show only the `N` functions with the largest differences")
	return cmd
}

// profileComparison are the instructions of two profiles.
type profileComparison struct {
	Before uint64 `json:"before_instructions"`
	After  uint64 `json:"after_instructions"`
}

func readProfile(path string) (read export.Named, err error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return read, fmt.Errorf("reading a profile: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if read, err = export.Read(f); err != nil {
		return read, fmt.Errorf("reading profile %s: %w", path, err)
	}
	return read, nil
}

// writeProfile writes a profile to the file of the flags, or as a result.
func (c *cli) writeProfile(f *profileFlags, names map[string]string, sent *controlv1.Profile) error {
	p, err := received(sent)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	name := func(id principal.Principal) string { return cmp.Or(names[id.String()], c.known().names[id.String()]) }
	if err := f.write(&out, p, name); err != nil {
		return err
	}
	if f.out != "" {
		if err := os.WriteFile(f.out, out.Bytes(), 0o600); err != nil {
			return fmt.Errorf("writing the profile: %w", err)
		}
		c.note("wrote %s", f.out)
		return nil
	}
	switch f.form {
	case tableForm, treeForm:
		return c.print(strings.TrimRight(out.String(), "\n"), sent)
	}
	_, err = c.out.Write(out.Bytes())
	return err
}

func (f *profileFlags) write(w io.Writer, p *profile.Profile, names export.Names) error {
	switch f.form {
	case pprofForm:
		return export.Pprof(w, p, names, export.Taken{})
	case foldedForm:
		return export.Folded(w, p, names)
	case speedscopeForm:
		return export.Speedscope(w, p, names, "canisterd")
	}
	text := export.Text(p, names, f.top)
	if f.form == treeForm {
		text = export.Tree(p, names, shownShare)
	}
	_, err := io.WriteString(w, text)
	return err
}

var receivedKinds = map[controlv1.FrameKind]profile.Kind{
	controlv1.FrameKind_FRAME_KIND_FUNCTION: profile.Function,
	controlv1.FrameKind_FRAME_KIND_HOST:     profile.Host,
	controlv1.FrameKind_FRAME_KIND_ENTRY:    profile.Entry,
	controlv1.FrameKind_FRAME_KIND_CHARGE:   profile.Charge,
	controlv1.FrameKind_FRAME_KIND_AWAIT:    profile.Await,
}

// received returns a profile of the control API.
func received(sent *controlv1.Profile) (*profile.Profile, error) {
	p := &profile.Profile{Messages: sent.GetMessages(), Folded: sent.GetFolded()}
	for i, s := range sent.GetSymbols() {
		symbol := profile.Symbol{Kind: receivedKinds[s.GetKind()], Name: s.GetName(), Entry: s.GetEntry(), Index: s.GetIndex(), File: s.GetFile()}
		symbol.Line = int32(min(s.GetLine(), math.MaxInt32))
		if i > 0 {
			var err error
			if symbol.Canister, err = principal.Parse(s.GetCanisterId()); err != nil {
				return nil, fmt.Errorf("reading the profile: symbol %d: %w", i, err)
			}
			if _, known := receivedKinds[s.GetKind()]; !known {
				return nil, fmt.Errorf("reading the profile: symbol %d has the unknown kind %s: use the canisterd of the daemon", i, s.GetKind())
			}
		}
		p.Symbols = append(p.Symbols, symbol)
	}
	for i, n := range sent.GetNodes() {
		if int(n.GetSymbol()) >= len(p.Symbols) || i > 0 && int(n.GetParent()) >= i {
			return nil, fmt.Errorf("reading the profile: node %d has symbol %d and parent %d", i, n.GetSymbol(), n.GetParent())
		}
		parent := int32(n.GetParent())
		if i == 0 {
			parent = -1
		}
		p.Nodes = append(p.Nodes, profile.Place{Symbol: int32(n.GetSymbol()), Parent: parent, Weights: profile.Weights{
			Calls: n.GetCalls(), Instructions: n.GetInstructions(), Cycles: n.GetCycles(), StableBytes: n.GetStableBytes(),
		}})
	}
	return p, nil
}
