package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// argumentsFolder is the folder below that of the bugs with those that need certain arguments.
const argumentsFolder = "arguments"

// byArguments returns the run in which drawn arguments and calls break an invariant of a bug: the median over the seeds that
// find it, with the smallest and the largest. First it does so without states of earlier cases.
func (m *measurement) byArguments(ctx context.Context, base *canisterd.Network, bug *asyncbugs.Bug) (cells string, err error) {
	s, err := newStage(ctx, base, bug, asyncbugs.Buggy)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.network.Close()) }()
	options, err := s.drawn()
	if err != nil {
		return "", err
	}
	for _, more := range [][]explore.Option{{explore.Fresh()}, nil} {
		var first []int
		for seed := range m.seeds {
			report, err := explore.Explore(ctx, s.network, slices.Concat(options, more, m.more, []explore.Option{explore.Budget(m.runs), explore.Seed(uint64(seed + 1))})...)
			if err != nil {
				return "", err
			}
			if found := report.Violations(); len(found) > 0 {
				first = append(first, found[0].Run)
			}
		}
		slices.Sort(first)
		cells += " " + medianOf(first, m.seeds) + " |"
	}
	return cells, nil
}

// medianOf returns the median of the runs that found something, with their range and how many of the seeds did, if not all.
func medianOf(runs []int, seeds int) string {
	if len(runs) == 0 {
		return "–"
	}
	text := fmt.Sprint(runs[len(runs)/2])
	if first, last := runs[0], runs[len(runs)-1]; first != last {
		text += fmt.Sprintf(" (%d–%d)", first, last)
	}
	if len(runs) < seeds {
		text += fmt.Sprintf(", %d of %d seeds", len(runs), seeds)
	}
	return text
}

// drawn returns the options for an exploration that draws what bug.yaml lists and checks the invariants alone.
func (s *stage) drawn() (options []explore.Option, err error) {
	for _, text := range s.bug.Explore.Drawn {
		c, method, _, err := asyncbugs.ParseCall(s.network, text)
		if err != nil {
			return nil, err
		}
		options = append(options, explore.Drawn(c, method))
	}
	for _, name := range s.bug.Explore.Any {
		c, err := s.network.Canister(name)
		if err != nil {
			return nil, err
		}
		options = append(options, explore.Any(c))
	}
	for _, line := range s.bug.Explore.Invariants {
		options = append(options, explore.Invariant(line))
	}
	return append(options, s.stated()...), nil
}
