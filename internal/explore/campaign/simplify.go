package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// simplifier makes the case of a finding smaller: fewer calls, simpler arguments.
type simplifier struct {
	config   *Config // with the operations of all cases
	key      string  // of the violation
	schedule Schedule
	replays  int
}

// simplify shortens the schedule of a finding, makes its case smaller, and shortens the schedule again. The finding then has
// a configuration of its own. If the time is over, it is shown as far as it is simplified, by a last replay.
func (c *Config) simplify(k drawnCase, round *Config, f *Finding) error {
	first := newShortener(round, f)
	first.most = maxSimplified / 2
	if err := first.shorten(f); err != nil {
		return err
	}
	s := &simplifier{config: c, key: f.Key(), schedule: f.Schedule, replays: first.replays}
	k = s.simplest(k)
	final, done, err := c.caseConfig(&k)
	if err != nil {
		return err
	}
	defer done()
	last := newShortener(&final, f)
	defer last.close()
	if last.replay(f.Schedule) {
		last.shortenFrom(f)
	}
	if err := last.finish(f); err != nil {
		return err
	}
	file := f.File(&final)
	final.Setup.Base, final.Pool = c.Setup.Base, nil // that of the case is closed
	f.own, f.file = &final, file
	return nil
}

// simplest returns the smallest case that was found and still violates the property.
func (s *simplifier) simplest(k drawnCase) drawnCase {
	for i := len(k.before) - 1; i >= 0; i-- {
		if less := (drawnCase{slices.Concat(k.before[:i], k.before[i+1:]), k.operations}); s.violates(less) {
			k = less
		}
	}
	for _, calls := range []*[]drawnCall{&k.before, &k.operations} {
		for i := range *calls {
			*calls = slices.Clone(*calls)
			s.simplerValues(&(*calls)[i], func() bool { return s.violates(k) })
		}
	}
	return k
}

// simplerValues makes the arguments of a call simpler while the case violates the property.
func (s *simplifier) simplerValues(call *drawnCall, violates func() bool) {
	for simpler := !call.fixed; simpler; {
		simpler = false
		kept := call.values
		for _, call.values = range call.Method.Simpler(kept) {
			if simpler = violates(); simpler {
				break
			}
		}
		if !simpler {
			call.values = kept
		}
	}
}

// violates runs the schedule with the calls of a case, and reports whether it violates the property.
func (s *simplifier) violates(k drawnCase) bool {
	if s.replays >= maxSimplified || s.config.Expired() {
		return false
	}
	s.replays++
	round, done, err := s.config.caseConfig(&k)
	if err != nil {
		return false // a call is not replied to anymore
	}
	defer done()
	b, l, err := newBaseline(&round, s.schedule.Operations)
	if err != nil {
		return false
	}
	defer l.Close()
	o := b.run(l, s.schedule.Plan, search.Follow(s.schedule.Deviations))
	return slices.ContainsFunc(o.violations, func(v property.Violation) bool { return v.Key() == s.key })
}
