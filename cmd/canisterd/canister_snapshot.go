package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

func (c *cli) canisterSnapshot() *cobra.Command {
	cmd := group("snapshot", "Take, load, download and upload snapshots of a canister")
	cmd.Long = `Take, load, download and upload snapshots of a canister: its module, heap, stable memory,
chunk store, certified data and timer, at most 10 for each canister. Snapshots of an
instance (canisterd instance snapshot) have all canisters, messages in flight, and the
time; they exist only in canisterd, and cost the canister nothing.

The commands call the management canister as a controller, as dfx and icp-cli do, so the
canister pays, and has less memory left.`
	cmd.AddCommand(
		c.snapshotTake(), c.snapshotList(), c.snapshotDownload(), c.snapshotUpload(),
		c.onSnapshot("load", "Replace the code and the state of a canister by those of a snapshot", "loaded", func(ctx context.Context, m clone.Canister, id []byte) error { return m.Load(ctx, id) }),
		c.onSnapshot("delete", "Delete a snapshot of a canister", "deleted", func(ctx context.Context, m clone.Canister, id []byte) error { return m.Delete(ctx, id) }),
	)
	return cmd
}

// ofSnapshots returns the RunE of a command on the snapshots of the canister that its first argument names.
func (c *cli) ofSnapshots(do func(ctx context.Context, m clone.Canister, args []string) error) func(*cobra.Command, []string) error {
	return c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
		m, err := c.snapshotsOf(d, id)
		if err != nil {
			return err
		}
		return do(ctx, m, args)
	})
}

// snapshotIDUsage is what an ID is in the usage of commands.
const snapshotIDUsage = "hex, from snapshot list"

// snapshotID parses the id of a snapshot.
func snapshotID(text string) ([]byte, error) {
	id, err := hex.DecodeString(text)
	if err != nil || len(id) == 0 {
		return nil, fmt.Errorf("invalid snapshot id %q: expected hex digits, as canisterd canister snapshot list prints them", text)
	}
	return id, nil
}

// replacedFlag adds the flag that names a snapshot to replace.
func replacedFlag(cmd *cobra.Command, id *string) {
	cmd.Flags().StringVar(id, "replace", "", "snapshot to delete in exchange ("+snapshotIDUsage+")")
}

// optionalID parses the id of --replace, nil for none.
func optionalID(text string) (*[]byte, error) {
	if text == "" {
		return nil, nil
	}
	id, err := snapshotID(text)
	return &id, err
}

// shownSnapshot is a snapshot for --json.
type shownSnapshot struct {
	ID    string `json:"id"`
	Taken string `json:"taken"`
	Bytes uint64 `json:"bytes"`
}

func describeSnapshot(s management.Snapshot) shownSnapshot {
	return shownSnapshot{hex.EncodeToString(s.ID), time.Unix(0, int64(s.Taken)).UTC().Format(time.RFC3339Nano), s.Size}
}

func (c *cli) snapshotTake() *cobra.Command {
	var replace string
	cmd := &cobra.Command{
		Use:   "take CANISTER",
		Short: "Take a snapshot of a canister and print its id",
		Example: `  canisterd canister snapshot take bank
  canisterd canister snapshot take bank --replace $id`,
		Args: cobra.ExactArgs(1),
		RunE: c.ofSnapshots(func(ctx context.Context, m clone.Canister, _ []string) error {
			replaced, err := optionalID(replace)
			if err != nil {
				return err
			}
			taken, err := m.Take(ctx, replaced)
			if err != nil {
				return err
			}
			return c.print(hex.EncodeToString(taken.ID), describeSnapshot(taken))
		}),
	}
	replacedFlag(cmd, &replace)
	return sending(cmd)
}

func (c *cli) snapshotList() *cobra.Command {
	return sending(&cobra.Command{
		Use:   "list CANISTER",
		Short: "List the snapshots of a canister",
		Example: `  canisterd canister snapshot list bank
  canisterd canister snapshot list bank --json`,
		Args: cobra.ExactArgs(1),
		RunE: c.ofSnapshots(func(ctx context.Context, m clone.Canister, _ []string) error {
			found, err := m.List(ctx)
			if err != nil {
				return err
			}
			all := []shownSnapshot{}
			t := c.table("ID", "TAKEN", "SIZE")
			for _, s := range found {
				one := describeSnapshot(s)
				all = append(all, one)
				t.row(one.ID, one.Taken, size(int64(one.Bytes)))
			}
			return c.print(t.String(), all)
		}),
	})
}

// onSnapshot makes a command that only does something with one snapshot.
func (c *cli) onSnapshot(name, short, done string, do func(ctx context.Context, m clone.Canister, id []byte) error) *cobra.Command {
	return sending(&cobra.Command{
		Use:     name + " CANISTER ID",
		Short:   short,
		Example: fmt.Sprintf("  canisterd canister snapshot %[1]s bank $id\n  canisterd --as alice canister snapshot %[1]s bank $id", name),
		Args:    cobra.ExactArgs(2),
		RunE: c.ofSnapshots(func(ctx context.Context, m clone.Canister, args []string) error {
			id, err := snapshotID(args[1])
			if err != nil {
				return err
			}
			if err := do(ctx, m, id); err != nil {
				return err
			}
			return c.done(map[string]string{"canister_id": m.ID.String(), "snapshot_id": args[1], "done": done}, "%s: %s snapshot %s", args[0], done, args[1])
		}),
	})
}

// directoryFormat describes the directories of download and upload.
const directoryFormat = `The directory is that of icp-cli and dfx: metadata.json, wasm_module.bin, wasm_memory.bin,
stable_memory.bin and wasm_chunk_store/.`

func (c *cli) snapshotDownload() *cobra.Command {
	var resume bool
	cmd := &cobra.Command{
		Use:   "download CANISTER ID DIR",
		Short: "Write a snapshot of a canister to a directory",
		Long:  "Write a snapshot of a canister to a directory, which must not have another one.\n" + directoryFormat + "\nZeros take no space in it if the file system supports that.",
		Example: `  canisterd canister snapshot download bank $id ./bank-before
  canisterd canister snapshot download bank $id ./bank-before --resume`,
		Args: cobra.ExactArgs(3),
		RunE: c.ofSnapshots(func(ctx context.Context, m clone.Canister, args []string) error {
			id, err := snapshotID(args[1])
			if err != nil {
				return err
			}
			tell, told := c.progress("downloading", 0)
			about, err := snapshotdir.Download(ctx, args[2], m.Reader(id), snapshotdir.DownloadOptions{Resume: resume, Tell: tell})
			told()
			if err != nil {
				return err
			}
			return c.done(map[string]any{"snapshot_id": args[1], "directory": args[2], "bytes": about.Bytes()}, "%s: %s of snapshot %s", args[2], size(about.Bytes()), args[1])
		}),
	}
	cmd.Flags().BoolVar(&resume, "resume", false, "continue a download that was interrupted")
	return sending(cmd)
}

func (c *cli) snapshotUpload() *cobra.Command {
	var resume bool
	var replace string
	cmd := &cobra.Command{
		Use:   "upload CANISTER DIR",
		Short: "Make a snapshot of a canister from a directory, and print its id",
		Long:  "Make a snapshot of a canister from a directory, and print its id. The canister itself does\nnot change until canisterd canister snapshot load.\n" + directoryFormat,
		Example: `  id=$(canisterd canister snapshot upload bank ./bank-before)
  canisterd canister snapshot upload bank ./bank-before --resume`,
		Args: cobra.ExactArgs(2),
		RunE: c.ofSnapshots(func(ctx context.Context, m clone.Canister, args []string) error {
			replaced, err := optionalID(replace)
			if err != nil {
				return err
			}
			about, err := snapshotdir.Read(args[1])
			if err != nil {
				return err
			}
			tell, told := c.progress("uploading", about.Bytes())
			id, err := snapshotdir.Upload(ctx, args[1], m.Writer(replaced), snapshotdir.UploadOptions{Resume: resume, Tell: tell})
			told()
			if err != nil {
				return err
			}
			return c.print(hex.EncodeToString(id), map[string]string{"canister_id": m.ID.String(), "snapshot_id": hex.EncodeToString(id)})
		}),
	}
	cmd.Flags().BoolVar(&resume, "resume", false, "continue an upload that was interrupted")
	replacedFlag(cmd, &replace)
	cmd.MarkFlagsMutuallyExclusive("resume", "replace")
	return sending(cmd)
}
