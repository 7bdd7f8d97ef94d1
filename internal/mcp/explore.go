package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/internal/control/report"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// exploreInput is what explore takes.
type exploreInput struct {
	Operations []string `json:"operations" jsonschema:"update calls that begin at any time, such as: bank withdraw 100 as alice"`
	Before     []string `json:"before,omitempty" jsonschema:"calls made before, in order"`
	Invariants []string `json:"invariants,omitempty" jsonschema:"must hold when no message is left, such as: vault paidOut <= 100"`
	Untrusted  []string `json:"untrusted,omitempty" jsonschema:"canisters that may never answer"`
	Faults     *uint32  `json:"faults,omitempty" jsonschema:"most faults of a run; default 1"`
	Seconds    uint32   `json:"seconds,omitempty" jsonschema:"most seconds; default 60"`
	Instance   string   `json:"instance,omitempty"`
	detailed
}

// finding is the schedule of a finding.
type finding struct {
	file     string // its path in the folder of the server, or its name where that has no such file
	schedule string
	of       *deployment // what was explored; nil if another program deployed it
}

// explore explores operations.
func (s *Server) explore(ctx context.Context, in exploreInput) (string, error) {
	n := s.namesOf(s.instanceOf(in.Instance))
	operations, err := operationsOf(in.Operations, n)
	if err != nil {
		return "", err
	}
	if len(operations) == 0 {
		return "", errors.New("no operations: pass some, such as: bank withdraw 100")
	}
	before, err := operationsOf(in.Before, n)
	if err != nil {
		return "", err
	}
	faults := uint32(1)
	if in.Faults != nil {
		faults = *in.Faults
	}
	report, err := s.report(ctx, &controlv1.ExploreRequest{
		Instance: n.instance, Operations: operations, Before: before, Properties: &controlv1.ExploreProperties{Invariants: in.Invariants},
		Seed: 1, Faults: faults, Untrusted: in.Untrusted, Names: n.all(), Time: durationpb.New(in.limit()),
	})
	if err != nil {
		return "", err
	}
	return s.reportText(n, report)
}

// limit returns the time that an exploration may take.
func (in exploreInput) limit() time.Duration {
	return time.Duration(cmp.Or(in.Seconds, defaultSeconds)) * time.Second
}

// report runs an exploration, and returns its report.
func (s *Server) report(ctx context.Context, in *controlv1.ExploreRequest) (*controlv1.ExploreReport, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	stream, err := s.Daemon.Explorer.Explore(ctx, in)
	if err != nil {
		return nil, err
	}
	for {
		answer, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("the daemon ended the exploration without a report: see its log")
		case err != nil:
			return nil, err
		case answer.GetReport() != nil:
			return answer.GetReport(), nil
		}
	}
}

// reportText describes a report: each finding in a sentence, then the runs that show them, each once.
func (s *Server) reportText(n *names, r *controlv1.ExploreReport) (string, error) {
	var text, runs strings.Builder
	shown := map[string]int{} // the finding that shows a run, by the run
	kept := &report.Schedules{}
	found := r.GetFindings()
	slices.SortStableFunc(found, func(a, b *controlv1.ExploreFinding) int { // violations first
		return number(a.GetSuspicion()) - number(b.GetSuspicion())
	})
	for i, f := range found {
		kind := "finding"
		if f.GetSuspicion() {
			kind = "suspicion"
		}
		file, err := s.keep(n, kept, f)
		if err != nil {
			return "", err
		}
		sentence, run, _ := strings.Cut(strings.TrimRight(f.GetExplanation(), "\n"), "\n")
		if !strings.HasPrefix(sentence, f.GetProperty()) {
			sentence = f.GetProperty() + ": " + sentence
		}
		fmt.Fprintf(&text, "%s %d: %s", kind, i+1, sentence)
		if file != "" {
			fmt.Fprintf(&text, " (%s)", file)
		}
		text.WriteString("\n")
		if first, known := shown[run]; known {
			fmt.Fprintf(&text, "  in the run of %d\n", first)
		} else if run != "" {
			shown[run] = i + 1
			fmt.Fprintf(&runs, "shortest run of %d\n%s\n", i+1, run)
		}
	}
	conclusion := r.GetConclusion() + "\n"
	for _, o := range r.GetOperations() {
		if o.GetReplied() == 0 {
			conclusion += fmt.Sprintf("no run replies to %s\n", o.GetTitle())
		}
	}
	return text.String() + conclusion + runs.String(), nil
}

// number returns 1 for true.
func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// keep remembers the schedule of a finding, and writes it to the folder of the project. It returns its path, "" for a
// finding about all runs.
func (s *Server) keep(n *names, kept *report.Schedules, f *controlv1.ExploreFinding) (string, error) {
	if f.GetSchedule() == "" {
		return "", nil
	}
	one := &finding{schedule: f.GetSchedule()}
	folder := ""
	if d := s.deploymentOf(n.instance); d != nil {
		one.of = s.copyOf(d, "")
		folder = d.source.folder
	}
	var err error
	if one.file, err = s.write(folder, kept, f, n.name(f.GetCanisterId())); err != nil {
		return "", err
	}
	s.rememberFinding(one)
	return one.file, nil
}

// rememberFinding adds a finding in place of an earlier one with the same file, or of the oldest one.
func (s *Server) rememberFinding(one *finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findings = slices.DeleteFunc(s.findings, func(other *finding) bool { return other.file == one.file })
	if s.findings = append(s.findings, one); len(s.findings) > maxFindings {
		s.findings = s.findings[1:]
	}
}

// write writes the schedule of a finding to the folder for schedules of a project, and returns its path relative to the
// server's folder.
func (s *Server) write(folder string, kept *report.Schedules, f *controlv1.ExploreFinding, about string) (string, error) {
	within, err := s.inside(folder)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(within)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // the files are closed
	if err := root.MkdirAll(report.ScheduleFolder, 0o755); err != nil {
		return "", fmt.Errorf("creating the directory for schedules: %w", err)
	}
	schedules, err := root.OpenRoot(report.ScheduleFolder)
	if err != nil {
		return "", err
	}
	defer func() { _ = schedules.Close() }() // the files are closed
	file, err := kept.Keep(schedules, f.GetSchedule(), f.GetProperty(), about, f.GetMethod())
	return path.Join(folder, report.ScheduleFolder, file), err
}
