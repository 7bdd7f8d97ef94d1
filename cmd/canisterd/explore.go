package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/control/report"
	"github.com/canisterd/canisterd/internal/control/request"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Exit codes of explorations.
const (
	exitFinding = exitReject // a property is violated: a result, as a reject is
	exitStale   = 3          // a schedule no longer fits the canisters
)

// Defaults of an exploration: how often a run continues at the next timer, runs, and time.
const (
	defaultWaits = 4
	defaultRuns  = 10_000
	defaultTime  = time.Minute
)

// exploreFlags are the flags of canisterd explore.
type exploreFlags struct {
	before, operations, twice, kinds, untrusted []string

	drawn                  drawnFlags
	outside                outsideFlags
	waits                  uint32
	properties             propertyFlags
	runs, faults, stop     uint32
	workers                workersFlags
	further                continueFlags
	seed                   uint64
	limit, form, folder    string
	snapshot, goTest, html string
	failOnSuspicion, all   bool
	tables                 bool
}

// allUsage is the help of --all where runs are shown.
const allUsage = "include messages of methods that compilers add, such as Motoko's asynchronous blocks"

// propertyFlags are the properties that runs are checked for.
type propertyFlags struct {
	invariants, sometimes, maximize, observe []string
	onlyStated                               bool
}

func (f *propertyFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.invariants, "invariant", nil, "condition that must hold when no message is left, such as 'vault paidOut <= 100'; 'each message: …' must also hold after each message, 'eventually: …' after the run has continued at the next timers (--waits)")
	flags.StringArrayVar(&f.sometimes, "sometimes", nil, "condition that must hold at the end of at least one run")
	flags.StringArrayVar(&f.maximize, "maximize", nil, "find the run with the largest answer to this query, such as 'vault paidOut'")
	flags.StringArrayVar(&f.observe, "observe", nil, "compare the answer to this query with those after serial orders, such as 'bank balance' (default: all queries without arguments)")
	flags.BoolVar(&f.onlyStated, "only-stated", false, "check only the given properties, not the built-in ones")
}

func (f *propertyFlags) message() *controlv1.ExploreProperties {
	return &controlv1.ExploreProperties{
		Invariants: f.invariants, Sometimes: f.sometimes, Maximize: f.maximize, Observe: f.observe, OnlyStated: f.onlyStated,
	}
}

func (c *cli) explore() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Explore the orders of messages and faults, and report what goes wrong",
		Long: `Run some operations in the legal orders of their messages, and with the faults that
mainnet can cause, on forks of an instance. The instance itself does not change.

An operation is an update call: CANISTER METHOD [ARGUMENTS] [as PRINCIPAL], as for
canister call. It can begin at any point of a run. Each finding is shown by its
shortest schedule and written to a file (--folder) that canisterd explore replay runs
again. --go-test writes a Go test that fails until the bug is fixed.

Flags override the explore section of ` + project.File + `.

The exit code is 0 without findings, 2 with findings, and 1 if the exploration failed.
Ctrl-C ends the exploration with its report, and with exit code 130 without findings.
Suspicions are printed, but do not change the exit code unless --fail-on-suspicion is
given.`,
		Example: `  canisterd explore --op 'bank withdraw 100' --invariant 'vault paidOut <= 100'
  canisterd explore --op 'bank withdraw 100 as bob' --faults 2 --untrusted vault
  canisterd explore --op 'bank withdraw ?' --any bank --invariant 'vault paidOut <= 100'
  canisterd explore --any bank --corpus corpus --for 1h`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.takeSection(cmd); err != nil {
				return err
			}
			request, err := f.request(c)
			if err != nil {
				return err
			}
			corpus, err := f.further.apply(c, cmd, request)
			if err != nil {
				return err
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				report, err := c.runExploration(ctx, d, request, f.workers.processes, corpus)
				if err != nil {
					return err
				}
				corpus.close()
				if f.goTest != "" {
					if err := c.keepGoTest(ctx, d, &f, request, report); err != nil {
						return err
					}
				}
				page := report.GetHtml()
				report.Html = "" // --json prints the rest
				schedules := &scheduleWriter{cli: c, folder: f.folder}
				outcome := c.printReport(report, &f, schedules)
				if f.html != "" {
					if err := writePage(f.html, schedules.onPage(page)); err != nil {
						return err
					}
				}
				if outcome == nil && cmd.Context().Err() != nil {
					return exitCode(exitInterrupted)
				}
				return outcome
			})
		},
	}
	f.add(cmd)
	c.allowOutside(cmd)
	c.selectNetwork(cmd)
	cmd.AddCommand(c.exploreWorker())
	cmd.AddCommand(c.exploreReplay(), c.exploreShow(), c.exploreShrink(), c.exploreCorpus(), c.exploreFaults(), c.exploreSuggest())
	return cmd
}

// takeSection sets flags that were not given from the section explore of the nearest project.
func (c *cli) takeSection(cmd *cobra.Command) error {
	folder := project.Nearest()
	if _, err := os.Stat(filepath.Join(folder, project.File)); err != nil {
		return nil //nolint:nilerr // without a project the flags say everything
	}
	p, err := c.readProject(folder)
	if err != nil {
		return err
	}
	section := p.ExploreFlags()
	for _, name := range sortedKeys(section) {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || flag.Changed {
			continue // a replay has only some of the flags
		}
		for _, value := range section[name] {
			if err := flag.Value.Set(value); err != nil {
				return fmt.Errorf("%s: explore: %s: %w", project.File, name, err)
			}
		}
	}
	return nil
}

func (f *exploreFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.operations, "op", nil, "operation to explore, 'CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]'; repeatable. The arguments ? are drawn from their types")
	flags.StringArrayVar(&f.before, "before", nil, "call to make before the operations, written as --op; repeatable, made in this order")
	flags.StringArrayVar(&f.twice, "twice", nil, "operation, written as --op, that its user may send twice")
	f.drawn.add(cmd)
	f.properties.add(cmd)
	f.outside.add(cmd)
	flags.Uint32Var(&f.waits, "waits", defaultWaits, "number of times that a run without messages continues at the next timer")
	flags.Uint32Var(&f.faults, "faults", 1, "maximum number of faults in a run")
	flags.StringSliceVar(&f.kinds, "fault", nil, "kinds of faults, such as reject_transient or trap_callback (canisterd explore faults; default: all)")
	flags.StringSliceVar(&f.untrusted, "untrusted", nil, "canisters that may never answer")
	flags.Uint32Var(&f.runs, "runs", defaultRuns, "maximum number of runs")
	flags.StringVar(&f.limit, "time", "60s", "maximum real time of the exploration; 0 for no limit")
	flags.Uint64Var(&f.seed, "seed", 1, "seed for random orders")
	flags.BoolVar(&f.all, "all", false, allUsage)
	flags.BoolVar(&f.tables, "tables", false, "also print the answers to each operation, and the faults tried at each await")
	flags.BoolVar(&f.failOnSuspicion, "fail-on-suspicion", false, "also exit with code 2 for a suspicion")
	flags.Uint32Var(&f.stop, "stop", 0, "stop after `N` findings; 0 for no limit")
	f.workers.add(cmd)
	f.further.add(cmd)
	flags.StringVar(&f.form, "form", "text", "format of the runs of findings: text or mermaid")
	flags.StringVar(&f.folder, "folder", report.ScheduleFolder, "write the schedules of findings to this directory; '' for none")
	flags.StringVar(&f.html, "html", "", "write the findings to this file, as an HTML page with diagrams")
	flags.StringVar(&f.goTest, "go-test", "", "write a Go test of the same exploration to this file, whose name must end in _test.go")
	flags.StringVar(&f.snapshot, "snapshot", "", "explore a snapshot of the instance instead of its current state")
}

// request makes the request from the flags.
func (f *exploreFlags) request(c *cli) (*controlv1.ExploreRequest, error) {
	if len(f.operations)+len(f.twice)+len(f.drawn.any) == 0 {
		return nil, errors.New("no operations: pass --op, such as --op 'bank withdraw 100', or list them in the explore section of " + project.File)
	}
	if err := errors.Join(checkForm(f.form, "text", "mermaid"), checkGoTest(f.goTest), checkOutputFile("--html", f.html), checkOutputFile("--go-test", f.goTest)); err != nil {
		return nil, err
	}
	workers, external, err := f.workers.read()
	if err != nil {
		return nil, err
	}
	in := &controlv1.ExploreRequest{
		Instance: c.instance, Snapshot: f.snapshot, Properties: f.properties.message(), Names: c.known().principals(), Seed: f.seed, Runs: f.runs, Faults: f.faults,
		FaultKinds: f.kinds, Untrusted: f.untrusted, Stop: f.stop, Workers: workers, ExternalWorkers: external, Waits: &f.waits, Html: f.html != "",
		IncludeGenerated: f.all,
	}
	if in.Upgrades, in.Outcalls, err = f.outside.read(); err != nil {
		return nil, err
	}
	if f.limit != "0" {
		limit, err := quantity.ParseDuration(f.limit)
		if err != nil {
			return nil, fmt.Errorf("--time: %w", err)
		}
		in.Time = durationpb.New(limit)
	}
	for _, text := range f.before {
		call, err := c.operation(text)
		if err != nil {
			return nil, fmt.Errorf("--before %q: %w", text, err)
		}
		in.Before = append(in.Before, call)
	}
	for i, text := range slices.Concat(f.operations, f.twice) {
		operation, err := c.operation(text)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", text, err)
		}
		operation.Retried = i >= len(f.operations)
		in.Operations = append(in.Operations, operation)
	}
	return in, f.drawn.read(c, in)
}

func checkForm(form string, forms ...string) error {
	if !slices.Contains(forms, form) {
		return fmt.Errorf("invalid --form %q: expected %s", form, strings.Join(forms, ", "))
	}
	return nil
}

// checkOutputFile rejects a file that cannot be created. The file is written only after the exploration.
func checkOutputFile(flag, path string) error {
	if path == "" {
		return nil
	}
	if found, err := os.Stat(path); err == nil && found.IsDir() {
		return fmt.Errorf("%s %s is a directory: expected a file", flag, path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// writePage writes a page for a browser.
func writePage(path, page string) error {
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// operation parses an operation: a call, followed by its caller if there is one.
func (c *cli) operation(text string) (*controlv1.ExploreOperation, error) {
	return request.Operation(text, operationNames{c})
}

// operationNames finds the names of operations.
type operationNames struct{ cli *cli }

// Canister returns the id of a canister.
func (n operationNames) Canister(text string) (string, error) { return n.cli.canisterOf(text) }

// Caller returns the principal that makes a call.
func (n operationNames) Caller(name string) (string, error) { return n.cli.callerOf(name) }

// Resolve replaces names by principals.
func (n operationNames) Resolve(text string) (string, error) { return n.cli.withIDs(text) }

// callerOf returns the principal that makes the call of an operation: the one that it names, or else that of the command.
func (c *cli) callerOf(as string) (string, error) {
	if as == "" {
		return c.sender()
	}
	sender, err := c.principalOf(as)
	if err != nil {
		return "", fmt.Errorf("as %s: %w", as, err)
	}
	return sender, nil
}

// runExploration runs an exploration and returns its report. If external workers can join, it starts the given number of
// processes, or prints the command that starts one. An interrupt ends the exploration with the report of what was run.
func (c *cli) runExploration(cmdCtx context.Context, d *remote.Daemon, in *controlv1.ExploreRequest, processes uint32, corpus *corpusWriter) (*controlv1.ExploreReport, error) {
	ctx, end := context.WithCancelCause(context.WithoutCancel(cmdCtx))
	defer end(nil)
	in.Exploration = rand.Text()
	defer endOnInterrupt(cmdCtx, ctx, d, in.GetExploration(), end)()
	stream, err := d.Explorer.Explore(ctx, in)
	if err != nil {
		return nil, err
	}
	joinable := in.GetExternalWorkers()
	for begin := time.Now(); ; {
		answer, err := stream.Recv()
		switch {
		case err != nil && ctx.Err() != nil && cmdCtx.Err() == nil:
			return nil, context.Cause(ctx) // the workers have ended
		case errors.Is(err, io.EOF):
			return nil, errors.New("the daemon ended the exploration without a report: see its log")
		case err != nil:
			return nil, err
		case answer.GetReport() != nil:
			if terminal(c.err) && !c.json {
				c.erase()
			}
			return answer.GetReport(), nil
		case answer.GetProgress() == nil:
			if err := corpus.take(answer); err != nil {
				return nil, err
			}
			continue
		}
		p := answer.GetProgress()
		switch {
		case joinable && processes > 0:
			stop, err := c.startWorkers(ctx, processes, end)
			if err != nil {
				return nil, err
			}
			defer stop()
			joinable = false
		case joinable:
			fmt.Fprintf(c.err, "start workers with: canisterd --url %s explore worker\n", c.controlAddress())
			joinable = false
		case terminal(c.err) && !c.json:
			c.draw(progressLine(p, time.Since(begin)))
		}
	}
}

// progressLine formats the progress of an exploration.
func progressLine(p *controlv1.ExploreProgress, took time.Duration) string {
	covers := p.GetCoverage()
	line := fmt.Sprintf("%d runs (%.0f a second), %d different, %d of %d races in both orders, %d edges, %d of %d faults, %d findings",
		p.GetRuns(), float64(p.GetRuns())/took.Seconds(), covers.GetDistinct(), covers.GetReversed(), covers.GetRaces(), covers.GetEdges(),
		covers.GetTried(), covers.GetFaults(), p.GetFindings())
	if covers.GetBlocks() > 0 {
		line += fmt.Sprintf(", %d blocks", covers.GetBlocks())
	}
	if p.GetRecorded() > 0 {
		line += fmt.Sprintf(", %d new in the corpus", p.GetRecorded())
	}
	if p.GetWorkers() > 0 {
		line += fmt.Sprintf(", %d workers", p.GetWorkers())
	}
	return line
}

// printReport prints a report and writes its schedules. For a finding, it returns the exit code as an error.
func (c *cli) printReport(r *controlv1.ExploreReport, f *exploreFlags, schedules *scheduleWriter) error {
	var all strings.Builder
	violations := 0
	for _, finding := range r.GetFindings() {
		kind := "suspicion"
		if !finding.GetSuspicion() {
			kind, violations = "finding", violations+1
		}
		fmt.Fprintf(&all, "%s in run %d (%s): ", kind, finding.GetRun(), finding.GetPhase())
		command, err := c.writeRun(&all, finding, schedules, f)
		if err != nil {
			return err
		}
		schedules.commands = append(schedules.commands, command)
	}
	for _, x := range r.GetLargest() {
		if x.GetFound() == nil {
			where := ""
			if x.GetIn() != "" {
				where = ", in the run of the finding " + x.GetIn()
			}
			fmt.Fprintf(&all, "the largest %s is %s%s\n\n", x.GetTitle(), cmp.Or(x.GetValue(), "not known: no run gives a number"), where)
			continue
		}
		if _, err := c.writeRun(&all, x.GetFound(), schedules, f); err != nil {
			return err
		}
	}
	all.WriteString(c.summary(r, f.tables, f.all))
	if err := c.print(strings.TrimRight(all.String(), "\n"), r); err != nil {
		return err
	}
	if violations > 0 || f.failOnSuspicion && len(r.GetFindings()) > 0 {
		return exitCode(exitFinding)
	}
	return nil
}

// writeRun writes the run of a finding, and the command that replays it, which it returns; "" for none.
func (c *cli) writeRun(all *strings.Builder, finding *controlv1.ExploreFinding, schedules *scheduleWriter, f *exploreFlags) (command string, err error) {
	all.WriteString(finding.GetExplanation())
	if f.form == "mermaid" && finding.GetSchedule() != "" {
		all.WriteString(finding.GetMermaid())
	}
	if finding.GetSchedule() != "" && f.folder != "" {
		path, err := schedules.write(finding)
		if err != nil {
			return "", err
		}
		command = c.replayCommand(path, finding, f)
		fmt.Fprintf(all, "  %s\n", command)
	}
	all.WriteString("\n")
	return command, nil
}
