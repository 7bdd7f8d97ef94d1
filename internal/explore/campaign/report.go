package campaign

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Report is the result of an exploration.
type Report struct {
	Findings []*Finding // in the order in which they were found
	Runs     int
	Messages int // that were delivered
	// Classes is the number of classes of equivalent orders that were run without faults. Exhausted says that these are
	// all, ExhaustedFaults that all classes under each single fault were run as well. Both are false if the messages of a
	// run are on several subnets: a message to another subnet arrives in the next round, and not all arrival times are
	// tried.
	Classes         int
	Exhausted       bool
	ExhaustedFaults bool
	FaultKinds      []harness.FaultKind // that some message could have, sorted by name
	Unfinished      int                 // runs that did not come to rest
	Coverage        Coverage
	Operations      []OperationCount
	Awaits          []Await
	Reached         []Goal
	Largest         []Extreme

	config *Config
	rows   []int // positions in Operations by those of the operations of a case; nil: they are the same
	covers *coverage
	across bool // the messages of a run were on several subnets
	byKey  map[string]*Finding
	matrix matrix // of Awaits
}

// traps are the error codes of rejects by trapping code.
var traps = []intercanister.ErrorCode{
	intercanister.CanisterTrapped, intercanister.CanisterCalledTrap, intercanister.CanisterInstructionLimitExceeded,
}

// OperationCount counts the answers to an operation: Trapped are the rejects because code trapped, Rejected all others.
type OperationCount struct {
	Title                            string
	Replied, Rejected, Trapped, Open int
}

// Goal is a state that some run should reach.
type Goal struct {
	Title string
	Runs  int // that reached it
}

// Extreme is the largest value that any run gave for a query.
type Extreme struct {
	Title string
	Value *big.Rat // nil: no run gave one
	// Found is the shortest run that gives the value, as a finding that violates the invariant "smaller than the value";
	// nil if the value is not an integer, no run gave one, or a finding has the same shortest run.
	Found *Finding
	In    string       // the property of the finding with the same shortest run; "" for none
	plan  harness.Plan // of the first run that gives the value
	names []string     // of its messages
}

// Schedule describes how a run differs from the FIFO run of all operations.
type Schedule struct {
	Operations []int // positions of the operations that take part
	Deviations []search.Before
	Plan       harness.Plan
	record     *record // of the file; nil: the schedule was not read from a file
}

// Finding is a violation with the shortest schedule that shows it.
type Finding struct {
	property.Violation
	Run      int    // the first run with the violation, from 1
	Phase    string // of that run
	Schedule Schedule
	Steps    []*harness.Step // of the shortest run
	Others   int             // later runs with the violation
	Also     []string        // texts of the suspicions about the same shortest run
	// Certain and Likely are the messages after which all and at least half of the random continuations violate the property;
	// nil: none was found.
	Certain, Likely *Point
	Outcome         Outcome // of a replay; 0: the finding is from an exploration
	// Differences are the differences between the shortest run and a serial run of its operations, grouped by canister.
	Differences []Difference
	compared    bool // Differences is set
	// own and file are the configuration and the schedule file of a finding with drawn arguments; nil: the configuration is
	// that of the exploration.
	own   *Config
	file  *schedule.File
	names []string // of the messages of the first run
}

// setup returns the setup of a finding, which is that of the exploration unless the finding has its own.
func (f *Finding) setup(ofAll *harness.Setup) *harness.Setup {
	if f.own != nil {
		return &f.own.Setup
	}
	return ofAll
}

// before returns the titles of the calls before the operations, if calls were drawn.
func (f *Finding) before() (titles []string) {
	if f.own == nil {
		return nil
	}
	for i := range f.own.Before {
		titles = append(titles, f.own.Before[i].Title)
	}
	return titles
}

func newReport(c *Config) *Report {
	r := &Report{config: c, byKey: make(map[string]*Finding)}
	r.matrix = matrix{positions: make(map[[2]string]int), byMessage: make(map[string][]int), titles: make(map[method]string)}
	r.covers = newCoverage(&r.Coverage)
	for i := range c.Setup.Operations {
		r.Operations = append(r.Operations, OperationCount{Title: c.Setup.Operations[i].Title})
	}
	for i := range c.Sometimes {
		r.Reached = append(r.Reached, Goal{Title: c.Sometimes[i].Title})
	}
	for i := range c.Maximize {
		r.Largest = append(r.Largest, Extreme{Title: c.Maximize[i].Title})
	}
	return r
}

// count adds a run to the numbers of the report.
func (r *Report) count(o *outcome) {
	if o.partial {
		return
	}
	r.Runs++
	r.Messages += len(o.steps)
	r.across = r.across || slices.ContainsFunc(o.steps, func(s *harness.Step) bool { return s.Subnet != o.steps[0].Subnet })
	if o.unfinished {
		r.Unfinished++
	}
	for _, a := range o.answers {
		switch c := &r.Operations[r.row(a.Position)]; {
		case a.Open:
			c.Open++
		case a.Reject != nil && slices.Contains(traps, a.Reject.Error):
			c.Trapped++
		case a.Reject != nil:
			c.Rejected++
		default:
			c.Replied++
		}
	}
	for i, reached := range o.reached {
		if reached {
			r.Reached[i].Runs++
		}
	}
	for i, text := range o.values {
		if v, ok := new(big.Rat).SetString(text); ok && (r.Largest[i].Value == nil || v.Cmp(r.Largest[i].Value) > 0) {
			r.Largest[i].Value, r.Largest[i].names, r.Largest[i].plan = v, names(o.steps), o.plan
		}
	}
	r.countAwaits(o)
	r.covers.add(o)
}

// row returns the position in Operations of the operation at a position.
func (r *Report) row(position int) int {
	if r.rows == nil {
		return position
	}
	return r.rows[position]
}

// addViolation adds a finding, or counts the run for a known one.
func (r *Report) addViolation(phase string, v property.Violation, o *outcome) {
	if known := r.byKey[v.Key()]; known != nil {
		known.Others++
		return
	}
	f := &Finding{Violation: v, Run: r.Runs, Phase: phase, names: names(o.steps), Steps: listed(&v, o.steps)}
	f.Schedule.Plan = o.plan
	r.byKey[v.Key()] = f
	r.Findings = append(r.Findings, f)
}

// violations counts the findings that are not suspicions.
func (r *Report) violations() (count int) {
	for _, f := range r.Findings {
		if !f.Suspicion {
			count++
		}
	}
	return count
}

// Violations returns the findings that are not suspicions.
func (r *Report) Violations() (all []*Finding) {
	for _, f := range r.Findings {
		if !f.Suspicion {
			all = append(all, f)
		}
	}
	return all
}

// finish adds the findings about all runs: operations that always fail, and goals that no run reached. An unreached
// goal is only a suspicion if the exploration stopped early: a later run might have reached it.
func (r *Report) finish() {
	r.Exhausted, r.ExhaustedFaults = r.Exhausted && !r.across, r.ExhaustedFaults && !r.across
	early := r.config.Stop > 0 && r.violations() >= r.config.Stop
	r.addNeverReplied()
	for _, g := range r.Reached {
		if g.Runs == 0 {
			r.Findings = append(r.Findings, &Finding{Run: r.Runs, Phase: "end", Violation: property.Violation{
				Property: "sometimes " + g.Title, Text: fmt.Sprintf("none of %d runs has reached %s", r.Runs, g.Title), Suspicion: early,
			}})
		}
	}
}

// NeverReplies is the property that each operation succeeds in some run. If an operation always fails, the other
// properties hold trivially.
const NeverReplies = "never-replies"

// addNeverReplied adds the operations that no run replies to. These are suspicions, unless no operation is ever replied
// to: then nothing was explored.
func (r *Report) addNeverReplied() {
	some := slices.ContainsFunc(r.Operations, func(c OperationCount) bool { return c.Replied > 0 })
	for i := range r.Operations {
		c := &r.Operations[i]
		if c.Replied > 0 || slices.ContainsFunc(r.Operations[:i], func(o OperationCount) bool { return o.Title == c.Title }) {
			continue
		}
		to := &r.config.Setup.Operations[i].Message
		r.Findings = append(r.Findings, &Finding{Run: r.Runs, Phase: "end", Violation: property.Violation{
			Property: NeverReplies, Canister: to.Receiver, Method: to.Method, Suspicion: some,
			Text: fmt.Sprintf("no run replies to %s (%d rejected, %d trapped, %d open): what it does was not explored", c.Title, c.Rejected, c.Trapped, c.Open),
		}})
	}
}
