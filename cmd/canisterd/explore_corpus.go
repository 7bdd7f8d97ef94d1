package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// corpusRow is the result of the replay of one schedule of a folder.
type corpusRow struct {
	File    string `json:"file"`
	Outcome string `json:"outcome"`
	Text    string `json:"text"`
	code    exitCode
}

// notReplayed is the outcome of a file that could not be replayed.
const notReplayed = "not replayed"

func (c *cli) exploreCorpus() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "corpus [DIR]",
		Short: "Replay the schedules in a directory",
		Long: `Replay the schedules (*.yaml) in a directory, by default ` + report.ScheduleFolder + `, and report for each
whether it still fails, is fixed or is stale.

The exit code is that of the worst outcome: 2 if a schedule still fails, else 1 if one
could not be replayed, else 3 if one is stale, else 0.`,
		Example: `  canisterd explore corpus
  canisterd explore corpus testdata/explore`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := schedulesOf(append(args, report.ScheduleFolder)[0])
			if err != nil {
				return err
			}
			if err := c.takeSection(cmd); err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				rows := make([]corpusRow, len(files))
				for i, path := range files {
					r, err := f.replay(ctx, c, d, path)
					if err != nil && status.Code(err) != codes.InvalidArgument {
						return err // not about this schedule alone
					}
					rows[i] = rowOf(path, r, err)
				}
				return c.printCorpus(rows)
			})
		},
	}
	f.add(cmd)
	c.allowOutside(cmd)
	return cmd
}

// schedulesOf returns the schedules of a folder, sorted by name.
func schedulesOf(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = errors.New("canisterd explore writes schedules there (--folder)")
	}
	if err != nil {
		return nil, fmt.Errorf("no schedules in directory %q: %w", folder, err)
	}
	return files, nil
}

// rowOf returns the row for the replay of a file, or for its error.
func rowOf(path string, r *controlv1.ReplayScheduleResponse, err error) corpusRow {
	if err != nil {
		return corpusRow{path, notReplayed, status.Convert(err).Message(), exitFailed}
	}
	text, _, _ := strings.Cut(r.GetExplanation(), "\n")
	return corpusRow{path, report.Outcome(r.GetOutcome()), text, replayCodes[r.GetOutcome()]}
}

// worst lists exit codes, the worst first.
var worst = []exitCode{exitFinding, exitFailed, exitStale}

// printCorpus prints the results, and returns the worst exit code as an error.
func (c *cli) printCorpus(rows []corpusRow) error {
	t := c.table("SCHEDULE", "OUTCOME", "")
	codes := map[exitCode]bool{}
	for _, r := range rows {
		t.row(r.File, r.Outcome, r.Text)
		codes[r.code] = true
	}
	if err := c.print(t.String(), rows); err != nil {
		return err
	}
	for _, code := range worst {
		if codes[code] {
			return code
		}
	}
	return nil
}
