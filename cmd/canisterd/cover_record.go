package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) coverStart() *cobra.Command {
	return sending(&cobra.Command{
		Use:   "start [CANISTER...]",
		Short: "Record which code of some canisters, or of all, runs from now on",
		Example: `  canisterd cover start
  canisterd cover start bank ledger`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := c.canistersOf(args)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				started, err := d.Coverage.StartCoverage(ctx, &controlv1.StartCoverageRequest{Instance: c.instance, CanisterIds: ids})
				if err != nil {
					return err
				}
				return c.done(started, "recording; canisterd cover read shows the coverage so far, canisterd cover stop ends the recording")
			})
		},
	})
}

func (c *cli) coverRead() *cobra.Command {
	return c.coverResult("read", "Show the coverage so far", func(ctx context.Context, d *remote.Daemon, all bool) ([]*controlv1.CanisterCoverage, error) {
		got, err := d.Coverage.ReadCoverage(ctx, &controlv1.ReadCoverageRequest{Instance: c.instance, All: all})
		return got.GetCanisters(), err
	})
}

func (c *cli) coverStop() *cobra.Command {
	return c.coverResult("stop", "End the recording and show the coverage", func(ctx context.Context, d *remote.Daemon, all bool) ([]*controlv1.CanisterCoverage, error) {
		got, err := d.Coverage.StopCoverage(ctx, &controlv1.StopCoverageRequest{Instance: c.instance, All: all})
		return got.GetCanisters(), err
	})
}

func (c *cli) coverResult(name, short string, get func(ctx context.Context, d *remote.Daemon, all bool) ([]*controlv1.CanisterCoverage, error)) *cobra.Command {
	var f coverFlags
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Example: fmt.Sprintf("  canisterd cover %[1]s\n  canisterd cover %[1]s --out coverage.html", name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				canisters, err := get(ctx, d, f.all)
				if err != nil {
					return err
				}
				return c.writeRecorded(&f, canisters)
			})
		},
	}
	f.add(cmd)
	return cmd
}

// writeRecorded reports the coverage of an instance.
func (c *cli) writeRecorded(f *coverFlags, recorded []*controlv1.CanisterCoverage) error {
	if len(recorded) == 0 {
		return errors.New("the coverage has no canister with code: deploy canisters and call them, then read it again")
	}
	modules := map[string]int{}
	for _, r := range recorded {
		modules[r.GetCanisterId()]++
	}
	var canisters []coverage.Canister
	var calls []coverdir.Call
	for _, r := range recorded {
		label := cmp.Or(c.known().names[r.GetCanisterId()], r.GetCanisterId())
		if modules[r.GetCanisterId()] > 1 {
			label += fmt.Sprintf(" (%x)", r.GetModuleHash()[:min(4, len(r.GetModuleHash()))])
		}
		canisters = append(canisters, receivedCoverage(label, r))
		for _, call := range r.GetCalls() {
			received := coverdir.Call{Canister: label}
			received.Method, received.Made = call.GetMethod(), call.GetMade()
			received.Replied, received.Rejected, received.Cleaned = call.GetReplied(), call.GetRejected(), call.GetCleaned()
			calls = append(calls, received)
		}
	}
	return c.writeSummary(f, coverage.Join(canisters, coverage.Options{All: f.all, Source: sourceBelow(".")}), calls)
}

// receivedCoverage returns the coverage of a canister of the control API.
func receivedCoverage(label string, sent *controlv1.CanisterCoverage) coverage.Canister {
	var functions []coverage.Called
	for _, f := range sent.GetFunctions() {
		functions = append(functions, coverage.Called{
			Name: f.GetName(), Index: f.GetIndex(), File: f.GetFile(), Line: int(f.GetLine()),
			Blocks: coverage.Ratio{Ran: int(f.GetRan()), Total: int(f.GetBlocks())},
		})
	}
	var files []coverage.File
	for _, sentFile := range sent.GetFiles() {
		file := coverage.File{Name: sentFile.GetName()}
		for _, l := range sentFile.GetLines() {
			file.Lines = append(file.Lines, coverage.Mark{Number: int(l.GetNumber()), Blocks: coverage.Ratio{Ran: int(l.GetRan()), Total: int(l.GetBlocks())}})
		}
		files = append(files, file)
	}
	return coverage.NewCanister(label, functions, files, int(sent.GetLeftOut()), sent.GetRoot())
}
