package explore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/internal/inprocess"
	"github.com/canisterd/canisterd/replica"
)

// Report is the result of an exploration.
type Report struct {
	*campaign.Report
	// LeftOut are the files of the [Corpus] with which the exploration did not begin, and why.
	LeftOut []string
	// Passed are the files of the [Corpus] whose findings no longer fail, and why.
	Passed []string
	config *config
}

// Finding is a violation with the shortest schedule that shows it.
type Finding = campaign.Finding

// Explain describes a finding: the violation, and the order in which the messages were delivered.
func (r *Report) Explain(f *Finding) string { return f.Explain(&r.config.Setup) }

// Diagram returns the run of a finding as a sequence diagram for mermaid.js.
func (r *Report) Diagram(f *Finding) string { return f.Mermaid(&r.config.Setup) }

// Schedule returns the schedule file of a finding. [Run] replays the schedule files in testdata/explore.
func (r *Report) Schedule(f *Finding) ([]byte, error) {
	return schedule.Write(f.File(&r.config.Config))
}

// Explore explores operations on forks of the present state of a network. The error says which option is invalid, or
// which operation the network did not accept; findings are in the report. If the context ends, the exploration ends
// with the error of the context.
func Explore(ctx context.Context, n *canisterd.Network, options ...Option) (*Report, error) {
	c, done, err := configured(ctx, n, options)
	if err != nil {
		return nil, err
	}
	defer done()
	report, err := c.explore()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return report, err
}

// Schedule describes how a run differs from the FIFO run of all operations. Messages are named by their origin: op1 is
// the first operation, op1/2.request the second call that it makes, op1/2.reply the answer to that call, and
// bank:timer1 a task.
type Schedule struct {
	Deviations []Before
	Faults     []FaultAt
}

// Before is a deviation from FIFO: the message Later waits until the message First was delivered. FaultAt is a fault of
// a message.
type (
	Before  = search.Before
	FaultAt = harness.Fault
)

// Replayed is the result of a replay.
type Replayed = campaign.Replayed

// Replay runs a schedule on a fork of the present state of a network. The error says which option is invalid, or which
// operation the network did not accept; violations are in the result.
func Replay(ctx context.Context, n *canisterd.Network, s *Schedule, options ...Option) (*Replayed, error) {
	c, done, err := configured(ctx, n, options)
	if err != nil {
		return nil, err
	}
	defer done()
	run := &campaign.Schedule{Deviations: s.Deviations, Plan: s.Faults}
	for i := range c.Setup.Operations {
		run.Operations = append(run.Operations, i)
	}
	again, err := campaign.Replay(&c.Config, run)
	if err != nil {
		return nil, err
	}
	return again, again.SetPoints()
}

func (c *config) explore() (*Report, error) {
	report, err := campaign.Run(&c.Config)
	if err != nil {
		return nil, err
	}
	return &Report{report, c.corpus.leftOut, c.corpus.passed, c}, c.corpus.failed
}

// configured applies the options and freezes the network. The caller must call done at the end.
func configured(ctx context.Context, n *canisterd.Network, options []Option) (c *config, done func(), err error) {
	c = defaults(ctx, n)
	for _, option := range options {
		if err := option(c); err != nil {
			return nil, nil, err
		}
	}
	expired := c.Expired
	c.Expired = func() bool { return ctx.Err() != nil || expired != nil && expired() }
	c.Setup.Name = func(id principal.Principal) string { return n.CanisterAt(id).Name() }
	names := &property.Names{Canister: c.canister, Name: c.Setup.Name, Argument: func(id principal.Principal, method, text string) ([]byte, error) {
		return n.CanisterAt(id).Encode(ctx, method, canisterd.Text(text))
	}}
	for _, line := range c.lines {
		if err := line(names); err != nil {
			return nil, nil, err
		}
	}
	running, err := instanceOf(n)
	if err != nil {
		return nil, nil, err
	}
	base, err := running.Driver().Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return nil, nil, fmt.Errorf("freezing the network: %w", err)
	}
	c.Setup.Base = base
	if err := c.applyDrawn(); err != nil {
		base.Close()
		return nil, nil, err
	}
	c.Properties = append(c.Properties, property.StatedBy(base, c.Setup.NameOf)...)
	if err := c.openCorpus(); err != nil {
		base.Close()
		return nil, nil, err
	}
	return c, base.Close, nil
}

// instanceOf returns the instance that runs a network.
func instanceOf(n *canisterd.Network) (*inprocess.Instance, error) {
	if running := inprocess.Find(n.Name()); running != nil {
		return running, nil
	}
	return nil, fmt.Errorf("exploring %s: the network was closed", n.Name())
}

// canister returns the canister with a name or an id.
func (c *config) canister(name string) (principal.Principal, bool) {
	if known, err := c.network.Canister(name); err == nil {
		return known.ID(), true
	}
	id, err := principal.Parse(name)
	return id, err == nil
}

// Run explores operations for a test; findings fail the test. First it replays the schedules of earlier findings of
// this test in testdata/explore: a schedule that still violates its property fails the test, and so does one that no
// longer fits the canisters. Run logs the summary of the report.
func Run(t testing.TB, n *canisterd.Network, options ...Option) *Report {
	t.Helper()
	c, done, err := configured(t.Context(), n, options)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	c.folder = filepath.Join("testdata", "explore")
	if c.replayAll(t) {
		return nil
	}
	report, err := c.explore()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report.Summary())
	for _, file := range report.LeftOut {
		t.Logf("not in the corpus of this exploration: %s", file)
	}
	for _, file := range report.Passed {
		t.Logf("no longer fails: %s", file)
	}
	for i := range report.Largest {
		if f := report.Largest[i].Found; f != nil {
			t.Log(report.Explain(f))
		}
	}
	for _, f := range report.Findings {
		if f.Suspicion && !c.suspicions {
			t.Logf("suspicion: %s", report.Explain(f))
			continue
		}
		t.Errorf("run %d: %s%s", f.Run, report.Explain(f), c.writeSchedule(t, report, f))
	}
	return report
}

// prefix returns the prefix of the names of a test's files.
func prefix(t testing.TB) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ' ' || r == ':' {
			return '-'
		}
		return r
	}, t.Name())
}

// writeSchedule writes the schedule of a finding, and says where it is.
func (c *config) writeSchedule(t testing.TB, report *Report, f *Finding) string {
	t.Helper()
	if len(f.Schedule.Operations) == 0 {
		return "" // the finding is about all runs
	}
	file := f.File(&report.config.Config)
	text, err := schedule.Write(file)
	path := c.schedulePath(t, file)
	if err == nil {
		err = os.MkdirAll(c.folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return fmt.Sprintf("The schedule was not written: %v", err)
	}
	c.written = append(c.written, path)
	return "The schedule is in " + path + ": the next test begins with it."
}

// schedulePath returns the first path that is free, or whose schedule is about the same property, canister and method
// and was not written by this test.
func (c *config) schedulePath(t testing.TB, f *schedule.File) string {
	for number := 1; ; number++ {
		path := filepath.Join(c.folder, fmt.Sprintf("%s.%d.yaml", prefix(t), number))
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path
		}
		other, failed := schedule.Read(text)
		if err != nil || failed != nil || slices.Contains(c.written, path) {
			continue
		}
		if other.Property == f.Property && other.Canister == f.Canister && other.Method == f.Method {
			return path
		}
	}
}

// replayAll replays the schedules of a test, and reports whether any of them fails it.
func (c *config) replayAll(t testing.TB) (failed bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.folder, prefix(t)+".*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.replay(text); err != nil {
			t.Errorf("%s: %v", path, err)
			failed = true
		}
	}
	return failed
}

// notReplayable says why a schedule cannot be replayed, and what to do.
func notReplayable(err error) error {
	return fmt.Errorf("the schedule cannot be replayed: %w. If the change is intended, remove the file", err)
}

// replay runs a schedule. The error says that it still violates its property, or that it is stale.
func (c *config) replay(text []byte) error {
	file, err := schedule.Read(text)
	if err != nil {
		return err
	}
	own := c.Config // OfFile changes it; the exploration that follows keeps the settings of the test
	file.Property = c.Setup.WithNames(file.Property)
	s, err := own.OfFile(file, campaign.Named(file, c.canister))
	if err != nil {
		return notReplayable(err)
	}
	again, err := campaign.Replay(&own, s)
	if err != nil {
		return err
	}
	f, err := again.Finding(s, file.Property)
	if err != nil {
		return notReplayable(err)
	}
	switch f.Outcome {
	case campaign.StillFails:
		if err := f.Compare(&own); err != nil {
			return err
		}
		return fmt.Errorf("the bug is still there: %s", f.Explain(&c.Setup))
	case campaign.Stale:
		return fmt.Errorf("the schedule is stale: %s. Remove the file; the exploration will find the bug if it is still there", f.Text)
	}
	return nil
}
