package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) instanceSnapshot() *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:   "snapshot [SNAPSHOT]",
		Short: "Take a snapshot of an instance",
		Long: `Take a snapshot of an instance and print its name. SNAPSHOT defaults to snapshot-1,
snapshot-2 and so on.`,
		Example: `  canisterd instance snapshot before
  canisterd -i lab instance snapshot before --replace`,
		Args: cobra.MaximumNArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			taken, err := d.Instances.TakeSnapshot(ctx, &controlv1.TakeSnapshotRequest{Instance: c.instance, Snapshot: first(args), Replace: replace})
			if err != nil {
				return err
			}
			return c.print(taken.GetSnapshot().GetName(), taken)
		}),
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "replace a snapshot of the same name")
	return cmd
}

func (c *cli) instanceSnapshots() *cobra.Command {
	return &cobra.Command{
		Use:   "snapshots",
		Short: "List the snapshots of an instance",
		Example: `  canisterd instance snapshots
  canisterd -i lab instance snapshots`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			all, err := allPages((*controlv1.ListSnapshotsResponse).GetSnapshots, func(token string) (*controlv1.ListSnapshotsResponse, error) {
				return d.Instances.ListSnapshots(ctx, &controlv1.ListSnapshotsRequest{Instance: c.instance, PageToken: token})
			})
			if err != nil {
				return err
			}
			t := c.table("NAME", "TAKEN", "TIME", "ROUNDS", "CANISTERS")
			for _, s := range all {
				t.row(s.GetName(), stamp(s.GetTaken()), stamp(s.GetTime()), fmt.Sprint(s.GetHeight()), fmt.Sprint(s.GetCanisters()))
			}
			return c.print(t.String(), &controlv1.ListSnapshotsResponse{Snapshots: all})
		}),
	}
}

func (c *cli) instanceForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget SNAPSHOT...",
		Short: "Delete snapshots of an instance",
		Example: `  canisterd instance forget before
  canisterd -i lab instance forget before after`,
		Args: cobra.MinimumNArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			for _, name := range args {
				if _, err := d.Instances.DeleteSnapshot(ctx, &controlv1.DeleteSnapshotRequest{Instance: c.instance, Snapshot: name}); err != nil {
					return err
				}
				if err := c.done(map[string]string{"snapshot": name, "done": "deleted"}, "%s: deleted", name); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (c *cli) instanceRestore() *cobra.Command {
	return c.addVerbose(&cobra.Command{
		Use:   "restore SNAPSHOT",
		Short: "Restore an instance from a snapshot",
		Long: `Restore an instance from a snapshot. Its current state and its history are discarded;
canisterd instance fork --snapshot keeps both.`,
		Example: `  canisterd instance restore before
  canisterd -i lab instance restore before`,
		Args: cobra.ExactArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			restored, err := d.Instances.RestoreSnapshot(ctx, &controlv1.RestoreSnapshotRequest{Instance: c.instance, Snapshot: args[0]})
			if err != nil {
				return err
			}
			return c.print(c.described(restored.GetInstance()), restored)
		}),
	})
}

func (c *cli) instanceDiff() *cobra.Command {
	var limit uint32
	cmd := &cobra.Command{
		Use:   "diff BEFORE [AFTER]",
		Short: "Show the differences between two states of instances",
		Example: `  canisterd -i lab instance diff @before
  canisterd instance diff lab branch
  canisterd instance diff lab@before lab@after`,
		Long: `Show the differences between two states. A state is the current one of an instance
(NAME) or a snapshot (NAME@SNAPSHOT, or @SNAPSHOT for one of --instance). AFTER defaults
to the current state of the same instance.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			before := c.state(args[0])
			after := &controlv1.State{Instance: before.GetInstance()}
			if len(args) > 1 {
				after = c.state(args[1])
			}
			if proto.Equal(before, after) {
				return fmt.Errorf("%s would be compared with itself: name another state, such as %s@SNAPSHOT or a second instance", args[0], cmp.Or(before.GetInstance(), c.instanceName()))
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				diff, err := d.Instances.Diff(ctx, &controlv1.DiffRequest{Before: before, After: after, Limit: limit})
				if err != nil {
					return err
				}
				return c.print(c.differences(diff), diff)
			})
		},
	}
	cmd.Flags().Uint32Var(&limit, "limit", 0, "maximum number of differences to list (default: 1000)")
	return cmd
}

func (c *cli) state(text string) *controlv1.State {
	instance, snapshot, _ := strings.Cut(text, "@")
	if instance == "" {
		instance = c.instance
	}
	return &controlv1.State{Instance: instance, Snapshot: snapshot}
}

// differences lists differences between two states, in red what was before and in green what is after.
func (c *cli) differences(diff *controlv1.DiffResponse) string {
	text := report.Differences(diff, c.nameOf, func(text string) string { return c.withNames(oneLine(text)) }, func(line string, after bool) string {
		if after {
			return c.paint(green, line)
		}
		return c.paint(red, line)
	})
	if diff.GetMore() > 0 {
		text += fmt.Sprintf("and %d more (--limit)\n", diff.GetMore())
	}
	return strings.TrimSuffix(text, "\n")
}
