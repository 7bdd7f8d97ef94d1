// Command measure explores all bugs of examples/asyncbugs and their twins, and writes what was found as the table of
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
)

// strategies are those that are compared, each with the whole budget. By itself the explorer enumerates before it draws.
var strategies = []string{"random", "pos", "pct-3", "surw", "portfolio"}

func main() {
	m := measurement{out: os.Stdout}
	flag.StringVar(&m.folder, "folder", "examples/asyncbugs", "folder of the bugs")
	flag.StringVar(&m.only, "only", "", "only bugs whose folders contain this")
	flag.IntVar(&m.runs, "runs", 10_000, "runs of an exploration")
	flag.IntVar(&m.seeds, "seeds", 10, "seeds of each strategy; 0: strategies are not compared")
	flag.StringVar(&m.compared, "strategies", strings.Join(strategies, ","), "strategies that are compared")
	flag.Parse()
	strategies = strings.Split(m.compared, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := m.all(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measurement says what is measured.
type measurement struct {
	out          io.Writer
	folder, only string
	compared     string // strategies, with commas
	runs, seeds  int
}

// all writes a row for each bug.
func (m *measurement) all(ctx context.Context) (err error) {
	bugs, err := asyncbugs.Read(m.folder)
	if err != nil {
		return err
	}
	base, err := canisterd.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if err := asyncbugs.Base(ctx, base, m.folder); err != nil {
		return err
	}
	head, line := "| bug | first finding in run | it is | invariant broken in run | phase | time | shortest | by hand | runs of the twin | its findings |", "|---|--:|---|--:|---|--:|---|---|---|---|"
	if m.seeds > 0 {
		head += " " + strings.Join(strategies, " | ") + " |"
		line += strings.Repeat("--:|", len(strategies))
	}
	fmt.Fprintf(m.out, "%s\n%s\n", head, line)
	for _, bug := range bugs {
		if !strings.Contains(bug.Folder, m.only) {
			continue
		}
		if err := m.row(ctx, base, bug); err != nil {
			return fmt.Errorf("%s: %w", bug.Folder, err)
		}
	}
	return nil
}

func (m *measurement) row(ctx context.Context, base *canisterd.Network, bug *asyncbugs.Bug) (err error) {
	buggy, err := newStage(ctx, base, bug, asyncbugs.Buggy)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, buggy.network.Close()) }()
	fixed, err := newStage(ctx, base, bug, asyncbugs.Fixed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fixed.network.Close()) }()

	number, _, _ := strings.Cut(filepath.Base(bug.Folder), "-")
	first, err := buggy.first(ctx, m.runs)
	if err != nil {
		return err
	}
	seeded, err := buggy.seeded(ctx, m.runs)
	if err != nil {
		return err
	}
	silent, err := fixed.silent(ctx, m.runs)
	if err != nil {
		return err
	}
	row := fmt.Sprintf("| %s %s | %s | %s | %d, %d |%s", strings.TrimLeft(number, "0"), bug.Name, first, seeded, len(bug.Schedule.Deviations), len(bug.Schedule.Faults), silent)
	if m.seeds > 0 {
		for _, strategy := range strategies {
			cell, err := buggy.compare(ctx, strategy, m.runs, m.seeds)
			if err != nil {
				return err
			}
			row += cell
		}
	}
	_, err = fmt.Fprintln(m.out, row)
	return err
}
