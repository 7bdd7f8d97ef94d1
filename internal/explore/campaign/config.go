package campaign

import (
	"cmp"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Config says what to explore, and for how long.
type Config struct {
	Setup harness.Setup
	// Before are the calls that were made in the base before the exploration. Schedule files list them.
	Before     []harness.Operation
	Properties []property.Property // in addition to the built-in ones; workers share them
	NoBuiltin  bool                // only Properties are checked
	Observe    []harness.Query     // queries by which runs are compared with serial ones
	Sometimes  []property.Sometimes
	Maximize   []property.Maximize
	Seed       uint64
	Runs       int // at most; 0: DefaultRuns
	Workers    int // goroutines of this process; 0: one
	// Pool runs the jobs instead of Workers if it is not nil. The report does not depend on it.
	Pool Pool
	// Faults is how many faults a run has at most; 0: none.
	Faults int
	// Kinds are the faults that may happen; nil: all.
	Kinds []harness.FaultKind
	// Untrusted reports whether a callee may leave calls unanswered; nil: every callee answers.
	Untrusted func(principal.Principal) bool
	// Stop is the number of different violations after which the exploration ends; 0: the budget is spent. Suspicions do
	// not count.
	Stop int
	// Drawn says which arguments and calls are drawn; nil: none. Then Pool is not used.
	Drawn *Drawn
	// Corpus are runs of earlier explorations with which this one begins (AddRecorded), those of findings first. Keep is called with
	// each further run that showed something new and each finding that the corpus does not have, Passed with the name and the reason
	// of each file whose finding is not found again; nil: not called.
	Corpus []Recorded
	Keep   func(*schedule.File)
	Passed func(file, reason string)
	// Only draws the orders of all runs instead of the phases if it is not nil.
	Only *search.Strategy
	// Expired ends the exploration and the runs in progress when it becomes true; nil: it never does. The report then
	// depends on the speed of the computer.
	Expired func() bool
	// Progress is called after each run, and after each part of an enumeration of classes; nil: progress is not reported.
	Progress func(*Report)
}

func (c *Config) withDefaults() Config {
	full := *c
	full.Runs, full.Workers = cmp.Or(c.Runs, DefaultRuns), max(1, c.Workers)
	if full.Expired == nil {
		full.Expired = func() bool { return false }
	}
	full.Setup.Expired = full.Expired
	if full.Passed == nil {
		full.Passed = func(string, string) {}
	}
	if full.Progress == nil {
		full.Progress = func(*Report) {}
	}
	return full
}

// strategy returns the strategy that draws orders.
func (c *Config) strategy() search.Strategy {
	if c.Only != nil {
		return *c.Only
	}
	return search.Default()
}
