package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// replayFlags are the flags of commands that replay schedules.
type replayFlags struct {
	properties     propertyFlags
	outside        outsideFlags
	snapshot, form string
	html           string // file of a page
	all, states    bool
	fresh          bool // replay on a fresh deployment of the project
}

func (f *replayFlags) add(cmd *cobra.Command) {
	f.properties.add(cmd)
	f.outside.add(cmd)
	cmd.Flags().StringVar(&f.snapshot, "snapshot", "", "begin at a snapshot of the instance instead of its current state")
}

// addShown adds these flags and those of commands that show a run.
func (f *replayFlags) addShown(cmd *cobra.Command) {
	f.add(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, allUsage)
	cmd.Flags().BoolVar(&f.states, "states", false, "add the state after each message: answers of queries, and invariants that do not hold")
	cmd.Flags().StringVar(&f.form, "form", "text", "format of the run: text, mermaid, svg or html")
	cmd.Flags().StringVar(&f.html, "html", "", "write the run to this file, as an HTML page with its diagram")
}

// replay replays the schedule of a file.
func (f *replayFlags) replay(ctx context.Context, c *cli, d *remote.Daemon, path string) (*controlv1.ReplayScheduleResponse, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the schedule: %w", err)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not a schedule: it is not text", path)
	}
	upgrades, outcalls, err := f.outside.read()
	if err != nil {
		return nil, err
	}
	in := &controlv1.ReplayScheduleRequest{
		Instance: c.instance, Snapshot: f.snapshot, Schedule: string(text), Properties: f.properties.message(), Names: c.known().principals(),
		Upgrades: upgrades, Outcalls: outcalls, Html: f.html != "" || f.form == "html",
		IncludeGenerated: f.all, IncludeMoments: f.states,
	}
	if !f.fresh {
		return d.Explorer.ReplaySchedule(ctx, in)
	}
	var replayed *controlv1.ReplayScheduleResponse
	err = c.onFresh(ctx, d, func(fresh *cli, ids names) error {
		in.Instance, in.Names = fresh.instance, c.known().ownIdentities()
		maps.Copy(in.Names, ids)
		replayed, err = d.Explorer.ReplaySchedule(ctx, in)
		return err
	})
	return replayed, err
}

// replayCommand returns the command that replays the schedule of a finding. It names the instance, the snapshot and the
// modules of upgrades, which the file does not contain.
func (c *cli) replayCommand(path string, f *controlv1.ExploreFinding, flags *exploreFlags) string {
	words := []string{"canisterd"}
	if c.instance != os.Getenv("CANISTERD_INSTANCE") {
		words = append(words, "-i", c.instance)
	}
	words = append(words, "explore", "replay")
	if flags.snapshot != "" {
		words = append(words, "--snapshot", flags.snapshot)
	}
	for _, given := range flags.outside.upgrades {
		name, _, _ := strings.Cut(given, "=")
		if slices.ContainsFunc(f.GetUpgrades(), func(canister string) bool { return canister == name || canister == c.nameOf(name) }) {
			words = append(words, "--upgrade", given)
		}
	}
	for i, word := range words {
		words[i] = shellQuote(word)
	}
	return strings.Join(append(words, shellQuote(path)), " ")
}

// shellQuote quotes a word for a shell if it has special characters.
func shellQuote(word string) string {
	special := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./=:,@", r)
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// scheduleCommand completes a command that replays the schedules of files and prints each result. Flags that are not given
// come from the section explore of the project. print gets the path of the file if there are several.
func (c *cli) scheduleCommand(cmd *cobra.Command, f *replayFlags, print func(path string, r *controlv1.ReplayScheduleResponse) error) *cobra.Command {
	c.allowOutside(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.form != "" {
			if err := checkForm(f.form, "text", "mermaid", "svg", "html"); err != nil {
				return err
			}
		}
		if err := c.takeSection(cmd); err != nil {
			return err
		}
		return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
			for _, path := range args {
				r, err := f.replay(ctx, c, d, path)
				if len(args) == 1 {
					path = ""
				} else if err != nil {
					err = fmt.Errorf("%s: %w", path, err)
				}
				if err != nil {
					return err
				}
				if err := print(path, r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cmd
}

func (c *cli) exploreReplay() *cobra.Command {
	var f replayFlags
	worst := exitCode(exitOK)
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Replay schedules",
		Long: `Replay schedules. A schedule that cannot be replayed ends the command.

The exit code is 1 if a schedule cannot be replayed, else 2 if one still fails, else 3 if
one is stale, else 0.`,
		Example: `  canisterd explore replay explore/vault-paidOut-100.yaml
  canisterd explore replay explore/*.yaml
  canisterd explore replay --fresh explore/vault-paidOut-100.yaml`,
		Args: cobra.MinimumNArgs(1),
	}
	f.addShown(cmd)
	cmd.Flags().BoolVar(&f.fresh, "fresh", false, "replay on a fresh deployment of the project, in an instance that is then deleted")
	cmd.MarkFlagsMutuallyExclusive("fresh", "snapshot")
	c.scheduleCommand(cmd, &f, func(path string, r *controlv1.ReplayScheduleResponse) error {
		if code := replayCodes[r.GetOutcome()]; worst != exitFinding && code != exitOK {
			worst = code
		}
		return c.printRun(path, r, &f)
	})
	replay := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 && (f.html != "" || f.form != "text") {
			return errors.New("--html and --form accept one file only: canisterd explore replay FILE")
		}
		if err := replay(cmd, args); err != nil {
			return err
		}
		return exitOf(worst)
	}
	return cmd
}

func (c *cli) exploreShow() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Show the run of a schedule as text, a diagram or a page",
		Example: `  canisterd explore show explore/vault-paidOut-100.yaml
  canisterd explore show --form svg explore/vault-paidOut-100.yaml > run.svg`,
	}
	cmd.Args = cobra.ExactArgs(1)
	f.addShown(cmd)
	return c.scheduleCommand(cmd, &f, func(_ string, r *controlv1.ReplayScheduleResponse) error { return c.printRun("", r, &f) })
}

func (c *cli) exploreShrink() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "shrink FILE",
		Short: "Print the shortest schedule that still shows a finding",
		Example: `  canisterd explore shrink explore/vault-paidOut-100.yaml
  canisterd explore shrink explore/vault-paidOut-100.yaml > shortest.yaml`,
	}
	cmd.Args = cobra.ExactArgs(1)
	f.add(cmd)
	return c.scheduleCommand(cmd, &f, func(_ string, r *controlv1.ReplayScheduleResponse) error {
		return c.print(strings.TrimRight(cmp.Or(r.GetSchedule(), report.Replay(r)), "\n"), r)
	})
}

// replayCodes are the exit codes for the outcomes of replays.
var replayCodes = map[controlv1.ReplayOutcome]exitCode{
	controlv1.ReplayOutcome_REPLAY_OUTCOME_STILL_FAILS: exitFinding,
	controlv1.ReplayOutcome_REPLAY_OUTCOME_FIXED:       exitOK,
	controlv1.ReplayOutcome_REPLAY_OUTCOME_STALE:       exitStale,
}

// exitOf returns an exit code as an error, nil for success.
func exitOf(code exitCode) error {
	if code == exitOK {
		return nil
	}
	return code
}

// printRun prints the run of a schedule in the requested form, after the path of its file if that is not empty, and
// writes its page.
func (c *cli) printRun(path string, r *controlv1.ReplayScheduleResponse, f *replayFlags) error {
	if f.html != "" {
		if err := writePage(f.html, r.GetHtml()); err != nil {
			return err
		}
	}
	text := map[string]string{"text": report.Replay(r), "mermaid": r.GetMermaid(), "svg": r.GetSvg(), "html": r.GetHtml()}[f.form]
	if f.form == "text" {
		text += report.States(r, c.nameOf, oneLine)
	}
	if path != "" {
		text = path + ": " + text
	}
	if f.form != "html" {
		r.Html = "" // --json prints the rest
	}
	return c.print(strings.TrimRight(text, "\n"), r)
}
