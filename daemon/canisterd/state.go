package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

func (c *cli) stateGroup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Look after what canisterd start keeps",
		Long: `Look after what canisterd start keeps, in the user's data folder or in a folder
that is named (start --state-dir).

No daemon may have the directory open. --instance selects another instance than
the default one in it.`,
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
		err = fmt.Errorf("nothing is kept in %s: name the state directory", dir)
	}
	return dir, err
}

// stateReport describes a state directory in JSON.
type stateReport struct {
	Checkpoints []stateCheckpoint `json:"checkpoints"`
	Records     uint64            `json:"records"`
	Lost        uint64            `json:"lost,omitempty"`
	Damaged     []string          `json:"damaged"`
}

// stateCheckpoint describes a checkpoint in JSON.
type stateCheckpoint struct {
	File   string `json:"file"`
	Height uint64 `json:"height"`
	Bytes  int64  `json:"bytes"`
}

// showHealth prints the checkpoints, the records and the damage of a state directory.
func (c *cli) showHealth(h *daemon.StateHealth) error {
	report := stateReport{Records: h.End - h.From, Damaged: []string{}}
	var text strings.Builder
	for _, k := range h.Checkpoints {
		report.Checkpoints = append(report.Checkpoints, stateCheckpoint{k.File, k.Height, k.Bytes})
		fmt.Fprintf(&text, "checkpoint  %s: height %s, %s\n", k.File, grouped(fmt.Sprint(k.Height)), bytesOf(uint64(k.Bytes)))
	}
	fmt.Fprintf(&text, "journal     %s after the oldest of them", count(report.Records, "record"))
	if h.Had > h.End {
		report.Lost = h.Had - h.End
		fmt.Fprintf(&text, ", and %s cannot be read", count(report.Lost, "later record"))
	}
	for _, reason := range h.Reasons() {
		report.Damaged = append(report.Damaged, reason)
		fmt.Fprintf(&text, "\n%s     %s", c.paint(red, "DAMAGED"), reason)
	}
	return c.print(text.String(), report)
}

func (c *cli) stateCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FOLDER]",
		Short: "Read everything in a state directory, and name what is damaged",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			h, err := daemon.CheckState(dir)
			if err != nil {
				return err
			}
			if err := c.showHealth(&h); err != nil || len(h.Damaged) == 0 {
				return err
			}
			good, ok := h.Good()
			if !ok {
				return fmt.Errorf("no usable checkpoint is left: a daemon cannot go on from this directory")
			}
			return fmt.Errorf("the state directory is damaged: canisterd state repair %s goes on from %s (height %d)", dir, good.File, good.Height)
		},
	}
}

func (c *cli) stateRepair() *cobra.Command {
	return &cobra.Command{
		Use:   "repair [FOLDER]",
		Short: "Repair a damaged state directory, so that a daemon can go on from it",
		Long: `Repair a damaged state directory, so that a daemon can go on from it: from the
newest checkpoint that is not damaged, with the records after it. Damaged records
are removed with everything after them. A damaged store is put aside, and what
can be read of it is copied to a new one.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			h, end, err := daemon.RepairState(dir)
			if err != nil {
				return err
			}
			if len(h.Damaged) == 0 {
				return c.print("nothing is damaged", h.Damaged)
			}
			if err := c.showHealth(&h); err != nil {
				return err
			}
			c.note("the state directory is repaired: a daemon goes on with the records before record %d", end)
			if h.Aside != "" {
				c.note("the damaged store is in %s: remove it when you do not need it", filepath.Join(dir, h.Aside))
			}
			return nil
		},
	}
}

func (c *cli) stateCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact [FOLDER]",
		Short: "Make a state directory as small as it can be: a checkpoint, and no records",
		Args:  cobra.MaximumNArgs(1),
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
			return c.showHealth(&h)
		},
	}
}

func (c *cli) stateExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE [FOLDER]",
		Short: "Write a state directory to one file, for canisterd replay on any machine",
		Long: `Write a state directory to one file: checkpoints, records and the modules in
them, for canisterd replay on any machine, such as with a report of a bug. The
file has the keys of the network and everything that its clients sent. While a
daemon has the directory open, canisterd instance export --journal writes it.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args[1:])
			if err != nil {
				return err
			}
			if err := whole(args[0], func(w io.Writer) error { return daemon.ExportState(dir, w) }); err != nil {
				return err
			}
			return c.done(map[string]string{"file": args[0], "done": "exported"}, "%s: exported from %s", args[0], dir)
		},
	}
}

// replayed replays a state directory, or a file of state export.
func replayed(ctx context.Context, path string, traces int) (daemon.Replayed, error) {
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
		Use:   "delete [FOLDER]",
		Short: "Delete a state directory with everything in it: the next start begins with a new network",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
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
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask before")
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
	Older       int      `json:"older_checkpoints,omitempty"`
	StateHash   string   `json:"state_hash"`
	Traces      []string `json:"traces,omitempty"`
}

// replayText describes a replay for people.
func replayText(r *daemon.Replayed) string {
	text := fmt.Sprintf("height %s to %s: %s (%s, %s), %s and %s compared", grouped(fmt.Sprint(r.From)), grouped(fmt.Sprint(r.Height)),
		count(r.Records, "record"), count(r.Inputs, "input"), count(r.Rounds, "round"), count(uint64(r.Roots), "certified root"), count(uint64(r.Checkpoints), "checkpoint"))
	if r.Older > 0 {
		text += fmt.Sprintf("; %s of older versions cannot be compared", count(uint64(r.Older), "checkpoint"))
	}
	return fmt.Sprintf("%s\nstate hash %x", text, r.StateHash)
}

func (c *cli) replay() *cobra.Command {
	traces := 0
	cmd := &cobra.Command{
		Use:   "replay [FOLDER | FILE]",
		Short: "Run the journal of a state directory again, and compare what comes out",
		Long: `Run the journal of a state directory again, or of a file that canisterd state
export or instance export --journal wrote. It begins at the oldest checkpoint
that is kept. Compared are the time, the messages and the instructions of each
round, its certified root if the journal has it, and the hash of the whole state
at each later checkpoint. Answers to HTTP outcalls come from the journal.
Nothing is changed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := c.stateArgument(args)
			if err != nil {
				return err
			}
			r, err := replayed(cmd.Context(), dir, traces)
			if err != nil {
				return err
			}
			text := strings.Join(append(r.Traces, replayText(&r)), "\n")
			return c.print(text, replayReport{r.From, r.Height, r.Records, r.Inputs, r.Rounds, r.Roots, r.Checkpoints, r.Older, fmt.Sprintf("%x", r.StateHash), r.Traces})
		},
	}
	cmd.Flags().IntVar(&traces, "traces", 0, "print the call trees of the newest `N` messages of users")
	return cmd
}
