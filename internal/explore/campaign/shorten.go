package campaign

import (
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// shortener shortens a schedule that violates a property, by replaying candidates.
type shortener struct {
	config    *Config
	key       string // of the violation
	replays   int
	most      int                         // replays
	baselines map[string]*baseline        // by operations
	harnesses map[string]*harness.Harness // of the baselines
	all       *Worker                     // has the baseline for all operations; nil: that one is made like the others
	err       error
	last      outcome // of the latest replay that violates the property
}

// shorten gives each finding its shortest schedule.
func (e *exploration) shorten() error {
	for _, f := range e.report.Findings {
		if len(f.names) == 0 {
			continue
		}
		s := newShortener(e.Config, f)
		s.all = e.worker
		if err := s.shorten(f); err != nil {
			return err
		}
	}
	for i := range e.report.Largest {
		if err := e.shortenLargest(&e.Maximize[i], &e.report.Largest[i]); err != nil {
			return err
		}
	}
	return nil
}

// shortenLargest sets the shortest run that gives the largest value, by shortening a violation of the invariant
// "smaller than this value".
func (e *exploration) shortenLargest(goal *property.Maximize, x *Extreme) error {
	if x.Value == nil || !x.Value.IsInt() {
		return nil
	}
	value, err := candid.ParseValue(x.Value.RatString())
	if err != nil {
		return fmt.Errorf("the largest %s: %w", x.Title, err)
	}
	smaller := &property.Invariant{Title: goal.Title + " < " + x.Value.RatString(), Left: property.Result{Query: goal.Query}, Relation: "<", Right: property.Constant{Value: value}}
	own := *e.Config
	own.Properties, own.NoBuiltin = []property.Property{smaller}, true
	f := &Finding{names: x.names, Violation: property.Violation{Property: smaller.Title, Canister: goal.Query.Canister, Method: goal.Query.Method}}
	f.Schedule.Plan = x.plan
	if err := Shorten(&own, f); err != nil || len(f.Steps) == 0 {
		return err
	}
	f.Certain, f.Likely = nil, nil // a large value is no failure
	f.Text = fmt.Sprintf("the largest %s is %s", x.Title, x.Value.RatString())
	x.Found = f
	return nil
}

// Shorten sets the shortest schedule of a finding that it can find: with fewer operations, faults and deviations from
// FIFO.
func Shorten(config *Config, f *Finding) error {
	full := config.withDefaults()
	return newShortener(&full, f).shorten(f)
}

func newShortener(config *Config, f *Finding) *shortener {
	return &shortener{config: config, key: f.Key(), most: maxReplays, baselines: make(map[string]*baseline), harnesses: make(map[string]*harness.Harness)}
}

// shorten gives a finding the schedule of its first run, and shortens it.
func (s *shortener) shorten(f *Finding) error {
	defer s.close()
	if len(f.Schedule.Operations) == 0 {
		for i := range s.config.Setup.Operations {
			f.Schedule.Operations = append(f.Schedule.Operations, i)
		}
	}
	if b, l := s.baseline(f.Schedule.Operations); b != nil && f.names != nil {
		f.Schedule.Deviations = b.deviations(l, f.Schedule.Plan, f.names)
	}
	if s.violates(f.Schedule) {
		s.shortenFrom(f)
	}
	return s.finish(f)
}

// shortenFrom shortens the schedule of the latest replay, which violates the property.
func (s *shortener) shortenFrom(f *Finding) {
	f.Schedule = s.shortest(f.Schedule)
	f.Steps, f.Violation = listed(&f.Violation, s.last.steps), s.violation(f.Violation)
}

// finish compares the run of a finding with a serial one, and sets its points.
func (s *shortener) finish(f *Finding) error {
	if b, l := s.baseline(f.Schedule.Operations); b != nil {
		b.compare(l, f)
		b.setPoints(l, f)
	}
	return s.err
}

// deviations returns how a run with these messages deviates from FIFO.
func (b *baseline) deviations(l *harness.Harness, plan harness.Plan, messages []string) []search.Before {
	recorder := search.Record(search.Named(messages))
	r := l.Begin(plan)
	defer r.Close()
	search.Drive(r, recorder, maxMessages)
	return recorder.Constraints
}

// baseline returns the baseline for some operations, nil after an error.
func (s *shortener) baseline(chosen []int) (*baseline, *harness.Harness) {
	if s.all != nil && len(chosen) == len(s.all.baseline.chosen) {
		return s.all.baseline, s.all.harness
	}
	key := fmt.Sprint(chosen)
	if b, known := s.baselines[key]; known {
		return b, s.harnesses[key]
	}
	b, l, err := newBaseline(s.config, chosen)
	if err != nil {
		if !errors.Is(err, errTimeOver) {
			s.err = err
		}
		return nil, nil
	}
	s.baselines[key], s.harnesses[key] = b, l
	return b, l
}

func (s *shortener) close() {
	for _, l := range s.harnesses { // the order makes no difference
		l.Close()
	}
}

// violates replays a schedule, and reports whether it violates the property. It is false beyond its replays or when the
// time is over.
func (s *shortener) violates(schedule Schedule) bool {
	return s.replays < s.most && s.err == nil && !s.config.Expired() && s.replay(schedule)
}

// replay is violates without these limits.
func (s *shortener) replay(schedule Schedule) bool {
	s.replays++
	b, l := s.baseline(schedule.Operations)
	if b == nil {
		return false
	}
	o := b.run(l, schedule.Plan, search.Follow(schedule.Deviations))
	if !slices.ContainsFunc(o.violations, func(v property.Violation) bool { return v.Key() == s.key }) {
		return false
	}
	s.last = o
	return true
}

// violation returns the violation of the latest replay that violates the property.
func (s *shortener) violation(otherwise property.Violation) property.Violation {
	for _, v := range s.last.violations {
		if v.Key() == s.key {
			return v
		}
	}
	return otherwise
}

// shortest removes the operations, deviations and faults that the violation does not need.
func (s *shortener) shortest(found Schedule) Schedule {
	for _, position := range slices.Clone(found.Operations) {
		if less := found.without(position); len(less.Operations) > 0 && s.violates(less) {
			found = less
		}
	}
	found.Deviations = minimize(found.Deviations, func(fewer []search.Before) bool {
		return s.violates(Schedule{Operations: found.Operations, Deviations: fewer, Plan: found.Plan})
	})
	found.Plan = minimize(found.Plan, func(fewer []harness.Fault) bool {
		return s.violates(Schedule{Operations: found.Operations, Deviations: found.Deviations, Plan: fewer})
	})
	s.violates(found)
	return found
}

// without returns the schedule without an operation and without the deviations and faults of its messages.
func (s Schedule) without(position int) Schedule {
	task := harness.OperationName(position)
	less := Schedule{
		Operations: slices.DeleteFunc(slices.Clone(s.Operations), func(p int) bool { return p == position }),
		Deviations: slices.DeleteFunc(slices.Clone(s.Deviations), func(b search.Before) bool {
			return harness.OperationOf(b.First) == task || harness.OperationOf(b.Later) == task
		}),
		Plan: slices.DeleteFunc(slices.Clone(s.Plan), func(f harness.Fault) bool { return harness.OperationOf(f.At) == task }),
	}
	return less
}

// minimize returns a shorter list for which a test still holds, by delta debugging (Zeller and Hildebrandt 2002).
// Without any single one of its elements the test fails.
func minimize[T any](list []T, holds func([]T) bool) []T {
	if len(list) > 0 && holds(nil) {
		return nil
	}
	for parts := 2; len(list) > 1; {
		size := (len(list) + parts - 1) / parts
		shorter := false
		for from := 0; from < len(list); from += size {
			rest := slices.Concat(list[:from], list[min(from+size, len(list)):])
			if holds(rest) {
				list, parts, shorter = rest, max(2, parts-1), true
				break
			}
		}
		if shorter {
			continue
		}
		if parts >= len(list) {
			break
		}
		parts = min(2*parts, len(list))
	}
	return list
}
