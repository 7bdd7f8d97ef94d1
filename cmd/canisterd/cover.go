package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// coverFlags say what of a coverage is written, and where.
type coverFlags struct {
	out   string
	all   bool
	names map[string]string // of modules by hash in hex
}

func (c *cli) cover() *cobra.Command {
	var f coverFlags
	cmd := &cobra.Command{
		Use:   "cover DIRECTORY",
		Short: "Report which code of canisters ran",
		Long: `Report which code of canisters ran. Programs that run canisters write it to the directory
in CANISTERD_COVER: canisterd exec and canisterd start, canisterd in place of PocketIC's
server, and Go tests. canisterd exec --cover does both at once.

canisterd cover start, read and stop record an instance that runs already.`,
		Example: `  CANISTERD_COVER=$PWD/ran npm test && canisterd cover ran
  canisterd cover ran --out lcov.info
  canisterd cover ran --out coverage.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.writeCover(&f, args[0]) },
	}
	f.add(cmd)
	cmd.AddCommand(c.coverStart(), c.coverRead(), c.coverStop())
	return cmd
}

// add adds the flags of commands that write a coverage.
func (f *coverFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "write to a file: .info (lcov), .xml (Cobertura), .html or .txt (default: a table on standard output)")
	cmd.Flags().BoolVar(&f.all, "all", false, "include the sources of others: standard libraries and packages")
}

// executeCovered runs a command and writes what ran, even if the command fails.
func (c *cli) executeCovered(ctx context.Context, f *execFlags, args []string) (err error) {
	if err := f.cover.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "canisterd-cover-")
	if err != nil {
		return fmt.Errorf("creating the directory for coverage: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c.coverDir = dir
	failed := c.execute(ctx, f, args)
	coverdir.AwaitServers(ctx, dir)
	return errors.Join(failed, c.writeCover(&f.cover, dir))
}

// nameModules remembers the names of deployed canisters for their modules.
func (c *cli) nameModules(ctx context.Context, d *remote.Daemon, f *coverFlags, deployed map[string]string) error {
	if f.out == "" {
		return nil
	}
	f.names = map[string]string{}
	for id, name := range deployed {
		got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: id})
		if err != nil {
			return c.explained(ctx, err)
		}
		f.names[hex.EncodeToString(got.GetCanister().GetModuleHash())] = name
	}
	return nil
}

// check refuses a file of an unknown format before anything runs.
func (f *coverFlags) check() error {
	switch filepath.Ext(f.out) {
	case "", ".info", ".xml", ".html", ".txt":
		return nil
	}
	return fmt.Errorf("invalid file %q for coverage: expected one that ends in .info (lcov), .xml (Cobertura), .html or .txt", f.out)
}

// writeCover reports what the processes of a directory ran.
func (c *cli) writeCover(f *coverFlags, dir string) error {
	if err := f.check(); err != nil {
		return err
	}
	joined, err := coverdir.Read(dir, func(hash [32]byte) string { return f.names[hex.EncodeToString(hash[:])] })
	if err != nil {
		return err
	}
	if len(joined.Modules) == 0 {
		if dir == c.coverDir {
			return errors.New("no canister ran while the command did")
		}
		return fmt.Errorf("no canister ran: %s has no coverage", dir)
	}
	for _, unread := range joined.Unread {
		c.note("note: %v", unread)
	}
	return c.writeSummary(f, coverage.Summarize(&joined.Report, coverage.Options{All: f.all, Source: sourceBelow(".")}), joined.Calls)
}

// writeSummary writes a coverage to the file of the flags, or as a result.
func (c *cli) writeSummary(f *coverFlags, s *coverage.Summary, calls []coverdir.Call) (err error) {
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		return err
	}
	table := strings.TrimRight(text.String(), "\n") + callbacksOf(calls)
	if f.out == "" {
		return c.print(table, s.Totals)
	}
	var out bytes.Buffer
	switch filepath.Ext(f.out) {
	case ".info":
		err = s.WriteLCOV(&out)
	case ".xml":
		err = s.WriteCobertura(&out)
	case ".html":
		err = s.WritePage(&out)
	default:
		out.WriteString(table + "\n")
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.out, out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the coverage: %w", err)
	}
	c.note("%s\nwrote %s", table, f.out)
	return nil
}

// sourceBelow returns a reader of source files below a folder.
func sourceBelow(folder string) func(file string) ([]byte, bool) {
	return func(file string) ([]byte, bool) {
		if !filepath.IsLocal(file) {
			return nil, false
		}
		text, err := os.ReadFile(filepath.Join(folder, file))
		return text, err == nil
	}
}

// callbacksOf lists calls of which a callback or the cleanup never ran: that is where bugs between calls are.
func callbacksOf(calls []coverdir.Call) string {
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, call := range calls {
		var never []string
		for _, closure := range []struct {
			what string
			ran  uint64
		}{{"reply", call.Replied}, {"reject", call.Rejected}, {"cleanup", call.Cleaned}} {
			if closure.ran == 0 {
				never = append(never, closure.what)
			}
		}
		if call.Made > 0 && len(never) > 0 {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", call.Canister, call.Method, grouped(fmt.Sprint(call.Made)), strings.Join(never, ", "))
		}
	}
	if err := table.Flush(); err != nil || out.Len() == 0 { // a strings.Builder takes everything
		return ""
	}
	return "\n\nCalls whose callbacks never ran:\n\n" + strings.TrimRight(out.String(), "\n")
}
