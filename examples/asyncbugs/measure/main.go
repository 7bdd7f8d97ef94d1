// Command measure explores all bugs of examples/asyncbugs and their twins, and writes what was found as the tables of
// docs/explorer-corpus.md:
//
//	go run ./examples/asyncbugs/measure -runs 10000 -seeds 10
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// strategies are the compared strategies, each with the whole budget. By default the explorer enumerates before it
// draws.
var strategies = []string{"random", "pos", "pct-3", "surw", "portfolio", "guided"}

func main() {
	m := measurement{out: os.Stdout}
	flag.StringVar(&m.folder, "folder", "examples/asyncbugs", "folder of the bugs")
	flag.StringVar(&m.only, "only", "", "only bugs whose folders contain this")
	flag.IntVar(&m.runs, "runs", 10_000, "runs of an exploration")
	flag.BoolVar(&m.defaults, "defaults", true, "explore each bug and its twin as by default: the first table")
	flag.IntVar(&m.seeds, "seeds", 10, "seeds of each strategy in the second table; 0: strategies are not compared")
	flag.StringVar(&m.compared, "strategies", strings.Join(strategies, ","), "strategies that are compared")
	flag.BoolVar(&m.arguments, "arguments", true, "explore the bugs that need certain arguments")
	blocks := flag.Bool("blocks", false, "guide by blocks of code, too")
	flag.Parse()
	if *blocks {
		m.more = append(m.more, explore.Blocks())
	}
	strategies = strings.Split(m.compared, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := m.all(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measurement says what to measure.
type measurement struct {
	out          io.Writer
	folder, only string
	compared     string // strategies, separated by commas
	defaults     bool
	runs, seeds  int
	arguments    bool // also the table of bugs that need certain arguments
	more         []explore.Option
}

// all writes the tables.
func (m *measurement) all(ctx context.Context) (err error) {
	base, err := canisterd.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if err := asyncbugs.Base(ctx, base, m.folder); err != nil {
		return err
	}
	if m.defaults {
		head := "| bug | first finding in run | it is | invariant broken in run | phase | time | shortest | by hand | runs of the twin | its findings |\n" +
			"|---|--:|---|--:|---|--:|---|---|---|---|\n"
		if err := m.table(ctx, base, head, m.byDefault); err != nil {
			return err
		}
	}
	if m.seeds == 0 {
		return nil
	}
	if m.arguments {
		bugs := *m
		bugs.folder = filepath.Join(m.folder, argumentsFolder)
		if err := bugs.table(ctx, base, "\n| bug | fresh | states of earlier cases |\n|---|--:|--:|\n", bugs.byArguments); err != nil {
			return err
		}
	}
	head := "\n| bug | " + strings.Join(strategies, " | ") + " |\n|---|" + strings.Repeat("--:|", len(strategies)) + "\n"
	return m.table(ctx, base, head, m.byStrategy)
}

// table writes a row for each bug.
func (m *measurement) table(ctx context.Context, base *canisterd.Network, head string, cells func(context.Context, *canisterd.Network, *asyncbugs.Bug) (string, error)) error {
	bugs, err := asyncbugs.Read(m.folder)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(m.out, head); err != nil {
		return err
	}
	for _, bug := range bugs {
		if !strings.Contains(bug.Folder, m.only) {
			continue
		}
		row, err := cells(ctx, base, bug)
		if err != nil {
			return fmt.Errorf("%s: %w", bug.Folder, err)
		}
		number, _, _ := strings.Cut(filepath.Base(bug.Folder), "-")
		if _, err := fmt.Fprintf(m.out, "| %s %s |%s\n", strings.TrimLeft(number, "0"), bug.Name, row); err != nil {
			return err
		}
	}
	return nil
}

// byDefault returns what the explorer finds in a bug and in its twin with the default settings.
func (m *measurement) byDefault(ctx context.Context, base *canisterd.Network, bug *asyncbugs.Bug) (cells string, err error) {
	buggy, err := newStage(ctx, base, bug, asyncbugs.Buggy)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, buggy.network.Close()) }()
	fixed, err := newStage(ctx, base, bug, asyncbugs.Fixed)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, fixed.network.Close()) }()
	first, err := buggy.first(ctx, m.runs)
	if err != nil {
		return "", err
	}
	seeded, err := buggy.seeded(ctx, m.runs)
	if err != nil {
		return "", err
	}
	silent, err := fixed.silent(ctx, m.runs)
	return fmt.Sprintf(" %s | %s | %d, %d |%s", first, seeded, len(bug.Schedule.Deviations), len(bug.Schedule.Faults), silent), err
}

// byStrategy returns the run in which each strategy finds a bug.
func (m *measurement) byStrategy(ctx context.Context, base *canisterd.Network, bug *asyncbugs.Bug) (cells string, err error) {
	buggy, err := newStage(ctx, base, bug, asyncbugs.Buggy)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, buggy.network.Close()) }()
	for _, strategy := range strategies {
		cell, err := buggy.compare(ctx, strategy, m.runs, m.seeds, m.more...)
		if err != nil {
			return "", err
		}
		cells += cell
	}
	return cells, nil
}
