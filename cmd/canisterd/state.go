package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/regular"
)

func (c *cli) stateGroup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Check, repair, compact, export or delete a state directory",
		Long: `Check, repair, compact, export or delete a state directory: the default one in the user's
data directory, or the one that was passed to canisterd start --state-dir.

No daemon may have the directory open. check, repair and delete act on all instances in
it, compact and export on the default one; --instance selects one.`,
	}
	cmd.AddCommand(c.stateCheck(), c.stateRepair(), c.stateCompact(), c.stateExport(), c.stateDelete())
	return cmd
}

// stateArgument returns the state directory that a command names, or else the default one; in it, the directory of
// the instance that the command is about.
func (c *cli) stateArgument(args []string) (dir string, err error) {
	if len(args) > 0 {
		if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() {
			return args[0], nil // a file of state export
		}
		return daemon.InstanceStateDir(args[0], c.instance), nil
	}
	dir, err = daemon.DefaultStateDir()
	if dir = daemon.InstanceStateDir(dir, c.instance); err == nil && !exists(dir) {
		err = fmt.Errorf("no state in %s: pass the state directory as an argument", dir)
	}
	return dir, err
}

func (c *cli) stateCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact [DIR]",
		Short: "Compact a state directory to one checkpoint without records: its history is lost",
		Example: `  canisterd state compact
  canisterd -i lab state compact ./state`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			if err := daemon.CompactState(dir, daemon.Config{CompileWorker: compileWorker()}); err != nil {
				return err
			}
			h, err := daemon.CheckState(dir)
			if err != nil {
				return err
			}
			report, text := c.describeState(&h)
			return c.print(text, report)
		},
	}
}

func (c *cli) stateExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE [DIR]",
		Short: "Export a state directory to a file, for canisterd replay",
		Long: `Export a state directory to a file with its checkpoints, records and modules, for
canisterd replay on any machine, for example for a bug report. The file contains the
keys of the network and everything that its clients sent. While a daemon has the
directory open, use canisterd instance export --journal.`,
		Example: `  canisterd state export bug.journal
  canisterd state export bug.journal ./state`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args[1:])
			if err != nil {
				return err
			}
			if err := regular.Replace(args[0], func(w io.Writer) error { return daemon.ExportState(dir, w) }); err != nil {
				return err
			}
			return c.done(map[string]string{"file": args[0], "done": "exported"}, "%s: exported from %s", args[0], dir)
		},
	}
}

// replayed replays a state directory, or a file of state export.
func replayed(ctx context.Context, path string, traces daemon.Traces) (daemon.Replayed, error) {
	config := daemon.Config{CompileWorker: compileWorker()}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return daemon.ReplayState(ctx, path, config, traces)
	}
	file, err := os.Open(path)
	if err != nil {
		return daemon.Replayed{}, fmt.Errorf("opening the file: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	r, err := daemon.ReplayFile(ctx, file, config, traces)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return r, err
}

func (c *cli) stateDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete [DIR]",
		Short: "Delete a state directory: the next start creates a new network",
		Long: `Delete a state directory with all instances in it, or only the instance other than the
default one that --instance selects. The next start creates a new network.`,
		Example: `  canisterd state delete
  canisterd state delete ./state --yes`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if c.instance == daemon.DefaultInstance {
				return fmt.Errorf("instance %[1]s cannot be deleted alone, because its state directory contains those of the other instances: omit --instance %[1]s to delete all of them", c.instance)
			}
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			if err := c.confirmed("the networks that are kept in "+dir, yes); err != nil {
				return err
			}
			if err := daemon.DeleteState(dir); err != nil {
				return err
			}
			return c.done(map[string]string{"state_dir": dir, "done": "deleted"}, "%s: deleted", dir)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

// replayReport describes a replay in JSON.
type replayReport struct {
	From        uint64   `json:"from_height"`
	Height      uint64   `json:"height"`
	Records     uint64   `json:"records"`
	Inputs      uint64   `json:"inputs"`
	Rounds      uint64   `json:"rounds"`
	Roots       int      `json:"roots"`
	Checkpoints int      `json:"checkpoints"`
	StateHash   string   `json:"state_hash"`
	Traces      []string `json:"traces,omitempty"`
}

// replayText describes a replay for people.
func replayText(r *daemon.Replayed) string {
	text := fmt.Sprintf("height %s to %s: %s (%s, %s), %s and %s compared", grouped(fmt.Sprint(r.From)), grouped(fmt.Sprint(r.Height)),
		count(r.Records, "record"), count(r.Inputs, "input"), count(r.Rounds, "round"), count(uint64(r.Roots), "certified root"), count(uint64(r.Checkpoints), "checkpoint"))
	return fmt.Sprintf("%s\nstate hash %x", text, r.StateHash)
}

func (c *cli) replay() *cobra.Command {
	var traces daemon.Traces
	cmd := &cobra.Command{
		Use:   "replay [DIR | FILE]",
		Short: "Replay the journal of a state directory and verify the result",
		Long: `Replay the journal of a state directory, or of a file that canisterd state export or
instance export --journal wrote, from its oldest checkpoint. The replay verifies the
time, the messages and the instructions of each round, its certified root if the journal
has it, and the hash of the whole state at each later checkpoint. Responses to HTTP
outcalls come from the journal. Nothing is changed.

--traces prints call trees, also of messages from before a restart, which canisterd
trace no longer has.`,
		Example: `  canisterd replay ./state
  canisterd replay bug.journal --traces 3`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			traces.Names = c.namesIn
			r, err := replayed(cmd.Context(), dir, traces)
			if err != nil {
				return err
			}
			text := strings.Join(append(r.Traces, replayText(&r)), "\n")
			return c.print(text, replayReport{r.From, r.Height, r.Records, r.Inputs, r.Rounds, r.Roots, r.Checkpoints, fmt.Sprintf("%x", r.StateHash), r.Traces})
		},
	}
	cmd.Flags().IntVar(&traces.Newest, "traces", 0, "print the call trees of the newest `N` ingress messages, as canisterd trace does")
	cmd.Flags().BoolVar(&traces.Generated, "all", false, "with --traces: "+allUsage)
	return cmd
}
