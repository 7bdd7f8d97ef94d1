package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// stage is a deployed twin of a bug, with the options for its exploration.
type stage struct {
	bug     *asyncbugs.Bug
	network *canisterd.Network
	options []explore.Option
}

// newStage deploys a twin in a fork of the base. The caller closes its network.
func newStage(ctx context.Context, base *canisterd.Network, bug *asyncbugs.Bug, twin asyncbugs.Twin) (*stage, error) {
	n, err := base.Fork(ctx)
	if err != nil {
		return nil, err
	}
	s := &stage{bug: bug, network: n}
	if err = bug.Deploy(ctx, n, twin); err == nil {
		err = s.dueTimer(ctx)
	}
	if err == nil {
		err = s.describe()
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return s, nil
}

// dueTimer advances the time until the first timer of the canisters is due in the next round, as it is where the schedules by
// hand begin. Within a run, time passes only when no message is left.
func (s *stage) dueTimer(ctx context.Context) error {
	timers, err := s.network.Timers(ctx)
	if err != nil || len(timers) == 0 {
		return err
	}
	return s.network.AdvanceTo(ctx, timers[0].Due.Add(-time.Nanosecond))
}

func (s *stage) describe() error {
	for _, text := range s.bug.Explore.Operations {
		c, method, argument, err := asyncbugs.ParseCall(s.network, text)
		if err != nil {
			return err
		}
		s.options = append(s.options, explore.Op(c, method, argument))
	}
	for _, line := range s.bug.Explore.Invariants {
		if !strings.HasSuffix(line, asyncbugs.CanStop) { // the explorer has a property for that
			s.options = append(s.options, explore.Invariant(line))
		}
	}
	var untrusted []*canisterd.Canister
	for _, name := range s.bug.Explore.Untrusted {
		c, err := s.network.Canister(name)
		if err != nil {
			return err
		}
		untrusted = append(untrusted, c)
	}
	for name, file := range s.bug.Explore.Upgrades { // the order makes no difference
		c, err := s.network.Canister(name)
		if err != nil {
			return err
		}
		module, err := os.ReadFile(filepath.Join(s.bug.Folder, file))
		if err != nil {
			return err
		}
		s.options = append(s.options, explore.Upgrade(c, module, nil))
	}
	if len(untrusted) > 0 {
		s.options = append(s.options, explore.Untrusted(untrusted...))
	}
	return nil
}

// explore explores with the options of the bug and more.
func (s *stage) explore(ctx context.Context, more ...explore.Option) (*explore.Report, error) {
	return explore.Explore(ctx, s.network, slices.Concat(s.options, more)...)
}

// stated returns the option that only checks the invariants of the bug; none if the bug keeps a canister from stopping,
// which a built-in property checks.
func (s *stage) stated() []explore.Option {
	if strings.HasSuffix(s.bug.Explore.Invariants[0], asyncbugs.CanStop) {
		return nil
	}
	return []explore.Option{explore.OnlyStated()}
}

// first returns the run and the property of the first violation that an exploration finds.
func (s *stage) first(ctx context.Context, runs int) (cell string, err error) {
	report, err := s.explore(ctx, explore.Budget(runs))
	if err != nil {
		return "", err
	}
	if found := report.Violations(); len(found) > 0 {
		return fmt.Sprintf("%d | `%s`", found[0].Run, found[0].Property), nil
	}
	return "– | ", nil
}

// seeded returns the run that breaks the invariant of the bug, its phase, the time until then, and the length of the
// longest of the shortest schedules, over seedsOfAll seeds. If the runs differ, it has the median with the range.
func (s *stage) seeded(ctx context.Context, runs int) (cells string, err error) {
	var firsts []int
	var longest *explore.Finding
	var slowest time.Duration
	for seed := range uint64(seedsOfAll) {
		began := time.Now()
		report, err := s.explore(ctx, append(s.stated(), explore.Budget(runs), explore.Seed(seed+1))...)
		if err != nil {
			return "", err
		}
		found := report.Violations()
		if len(found) == 0 {
			return fmt.Sprintf("not in %d with seed %d | | | ", report.Runs, seed+1), nil
		}
		firsts, slowest = append(firsts, found[0].Run), max(slowest, time.Since(began))
		if longest == nil || lengthOf(found[0]) > lengthOf(longest) {
			longest = found[0]
		}
	}
	slices.Sort(firsts)
	run := strconv.Itoa(firsts[len(firsts)/2])
	if first, last := firsts[0], firsts[len(firsts)-1]; first != last {
		run += fmt.Sprintf(" (%d–%d)", first, last)
	}
	return fmt.Sprintf("%s | %s | %.1f s | %d, %d", run, longest.Phase, slowest.Seconds(), len(longest.Schedule.Deviations), len(longest.Schedule.Plan)), nil
}

// seedsOfAll is the number of seeds of explorations with the default strategy.
const seedsOfAll = 10

func lengthOf(f *explore.Finding) int { return len(f.Schedule.Deviations) + len(f.Schedule.Plan) }

// silent returns what the explorer finds in the twin: nothing, if both are correct.
func (s *stage) silent(ctx context.Context, runs int) (cells string, err error) {
	report, err := s.explore(ctx, explore.Budget(runs))
	if err != nil {
		return "", err
	}
	all := ""
	if report.Exhausted {
		all = ", all " + strconv.Itoa(report.Classes)
	}
	if report.ExhaustedFaults {
		all += ", with each fault"
	}
	var findings []string
	for _, f := range report.Findings {
		what := "`" + f.Property + "`"
		if f.Suspicion {
			what += " (suspicion)"
		}
		findings = append(findings, what)
	}
	if findings == nil {
		findings = []string{"none"}
	}
	return fmt.Sprintf(" %d%s | %s |", report.Runs, all, strings.Join(findings, ", ")), nil
}

// compare returns the median of the runs in which a strategy first finds the bug, over the seeds that find it.
func (s *stage) compare(ctx context.Context, strategy string, runs, seeds int, more ...explore.Option) (cell string, err error) {
	var first []int
	for seed := range seeds {
		report, err := s.explore(ctx, slices.Concat(s.stated(), more, []explore.Option{explore.Budget(runs), explore.Only(strategy), explore.Seed(uint64(seed + 1))})...)
		if err != nil {
			return "", err
		}
		if found := report.Violations(); len(found) > 0 {
			first = append(first, found[0].Run)
		}
	}
	slices.Sort(first)
	switch {
	case len(first) == 0:
		return " – |", nil
	case len(first) < seeds:
		return fmt.Sprintf(" %d (%d of %d) |", first[len(first)/2], len(first), seeds), nil
	}
	return fmt.Sprintf(" %d |", first[len(first)/2]), nil
}
