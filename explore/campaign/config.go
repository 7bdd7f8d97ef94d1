package campaign

import (
	"cmp"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/search"
)

// Config says what is explored, and for how long.
type Config struct {
	Setup harness.Setup
	// Before are the calls that were made before the base stood still: for schedules.
	Before     []harness.Operation
	Properties []property.Property // beside the built-in ones; workers share them
	NoBuiltin  bool                // only Properties are checked
	Observe    []harness.Query     // state that serial orders are compared by
	Sometimes  []property.Sometimes
	Maximize   []property.Maximize
	Seed       uint64
	Runs       int // at most; 0: DefaultRuns
	Workers    int // of this process; 0: one
	// Pool runs the jobs in the place of Workers; nil: they do. The report does not depend on it.
	Pool Pool
	// Faults is how many faults a run has at most; 0: none.
	Faults int
	// Kinds are the faults that may happen; nil: all.
	Kinds []harness.FaultKind
	// Untrusted reports whether a callee may never answer; nil: every callee answers.
	Untrusted func(principal.Principal) bool
	// Stop is the number of different violations after which the exploration ends; 0: it goes on. Suspicions do not
	// count.
	Stop int
	// Only is a strategy for all runs in the place of the phases; nil: the phases.
	Only *search.Strategy
	// Expired ends the exploration when it becomes true, and the runs that are under way; nil: it never does. The report then
	// depends on the time.
	Expired func() bool
	// Progress is called after each chunk of runs; nil: no progress is reported.
	Progress func(*Report)
}

func (c *Config) withDefaults() Config {
	full := *c
	full.Runs, full.Workers = cmp.Or(c.Runs, DefaultRuns), max(1, c.Workers)
	if full.Expired == nil {
		full.Expired = func() bool { return false }
	}
	full.Setup.Expired = full.Expired
	if full.Progress == nil {
		full.Progress = func(*Report) {}
	}
	return full
}

// strategy is what draws orders.
func (c *Config) strategy() search.Strategy {
	if c.Only != nil {
		return *c.Only
	}
	return search.Default()
}
