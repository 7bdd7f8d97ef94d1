package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/regular"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) instanceExport() *cobra.Command {
	var snapshot string
	var journal bool
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Export an instance to a file; - for standard output",
		Long: `Export the current state of an instance, or a snapshot, to a file for canisterd instance
import; - is standard output. With --journal, write the file that canisterd state export
writes, for canisterd replay on any machine, for example for a bug report. The instance
keeps running.`,
		Example: `  canisterd -i lab instance export lab.ic
  canisterd -i lab instance export --snapshot before - | gzip > before.gz
  canisterd instance export --journal bug.journal`,
		Args: cobra.ExactArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			tell, done := c.progress("exporting", 0)
			defer done()
			request := &controlv1.ExportInstanceRequest{Instance: c.instance, Snapshot: snapshot, Journal: journal}
			if args[0] == "-" {
				return d.Export(ctx, request, c.out, tell)
			}
			return regular.Replace(args[0], func(w io.Writer) error { return d.Export(ctx, request, w, tell) })
		}),
	}
	cmd.Flags().StringVar(&snapshot, "snapshot", "", "export a snapshot instead of the current state")
	cmd.Flags().BoolVar(&journal, "journal", false, "export the journal, for canisterd replay, instead of the current state")
	cmd.MarkFlagsMutuallyExclusive("snapshot", "journal")
	return cmd
}

func (c *cli) instanceImport() *cobra.Command {
	var f instanceFlags
	cmd := &cobra.Command{
		Use:   "import FILE [NAME]",
		Short: "Create an instance from an exported file; - for standard input",
		Example: `  canisterd instance import lab.ic copy --pacing manual
  gunzip -c before.gz | canisterd instance import - copy`,
		Long: `Create an instance from an exported file; - is standard input. NAME defaults to
instance-1, instance-2 and so on. Names of canisters that were deployed from this
directory also work in the new instance.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			pacing, err := parsePacing(f.pacing)
			if err != nil {
				return err
			}
			outcalls, err := parseOutcallMode(f.outcalls)
			if err != nil {
				return err
			}
			options := &controlv1.ImportOptions{Instance: first(args[1:]), Pacing: pacing, Outcalls: outcalls, StateDir: f.memoryDir, HttpListen: f.httpListen, OutcallsLocal: f.reach.local, OutcallTargets: f.reach.targets, Ephemeral: f.ephemeral}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				from, total, err := source(args[0])
				if err != nil {
					return err
				}
				defer func() { _ = from.Close() }() // only for reading
				tell, done := c.progress("importing", total)
				made, err := d.Import(ctx, options, from, tell)
				done()
				if err != nil {
					return err
				}
				if err := c.adopt(ctx, d, made); err != nil {
					return err
				}
				return c.print(c.described(made), &controlv1.ImportInstanceResponse{Instance: made})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.pacing, "pacing", "", "when rounds run: "+pacingForms()+" (default: auto)")
	flags.StringVar(&f.outcalls, "outcalls", "", outcallsUsage)
	f.reach.add(cmd, "the daemon's")
	f.addMemoryDir(cmd)
	flags.StringVar(&f.httpListen, "http-listen", "", httpListenUsage)
	f.addEphemeral(cmd)
	return c.addVerbose(cmd)
}

// source opens a file, or standard input for -, and returns its length if known.
func source(path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), 0, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("checking %s: %w", path, err), f.Close())
	}
	return f, info.Size(), nil
}
