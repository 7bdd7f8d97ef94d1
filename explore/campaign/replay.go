package campaign

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/search"
)

// Outcome is what a replay says of the property that its schedule violated.
type Outcome uint8

// The outcomes.
const (
	StillFails Outcome = iota + 1 // the property is violated again
	Fixed                         // it is not
	Stale                         // messages of the schedule did not come: the replay says nothing about these canisters
)

// String is the outcome for people.
func (o Outcome) String() string { return [...]string{"", "still fails", "fixed", "stale"}[o] }

// Replay is a run of a finding's schedule, or of one from a file. It says whether the property is violated again, and
// which parts of the schedule found no messages.
func Replay(config *Config, s *Schedule) (*Replayed, error) {
	full := config.withDefaults()
	b, l, err := newBench(&full, s.Operations)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	follow := search.Follow(s.Deviations)
	o := b.run(l, s.Plan, follow)
	return &Replayed{Violations: o.violations, Steps: o.steps, Unmet: follow.Unmet(), Unapplied: o.unapplied, checked: b.properties}, nil
}

// Replayed is what a replay showed.
type Replayed struct {
	Violations []property.Violation
	Steps      []*harness.Step
	Unmet      []search.Before // deviations whose messages did not come in this order
	Unapplied  []harness.Fault // faults whose messages did not come
	checked    []property.Property
}

// Violation is the first violation of a property, nil if the replay does not violate it.
func (r *Replayed) Violation(name string) *property.Violation {
	for i := range r.Violations {
		if r.Violations[i].Property == name {
			return &r.Violations[i]
		}
	}
	return nil
}

// Violates reports whether the replay violates a property.
func (r *Replayed) Violates(name string) bool { return r.Violation(name) != nil }

// Outcome is what the replay says of a property.
func (r *Replayed) Outcome(name string) Outcome {
	switch {
	case r.Violates(name):
		return StillFails
	case r.Stale():
		return Stale
	}
	return Fixed
}

// Stale reports whether a part of the schedule does not fit the canisters any more.
func (r *Replayed) Stale() bool { return len(r.Unmet) > 0 || len(r.Unapplied) > 0 }

// Diverged says where a stale schedule does not fit, "" if it fits.
func (r *Replayed) Diverged() string {
	switch {
	case len(r.Unapplied) > 0:
		return fmt.Sprintf("message %s did not come, so that nothing %s", r.Unapplied[0].At, r.Unapplied[0].Words())
	case len(r.Unmet) > 0:
		return fmt.Sprintf("message %s did not come before %s", r.Unmet[0].First, r.Unmet[0].Later)
	}
	return ""
}

// Finding is the run of the replay, told as a finding of the property with a name. The error says that the replay does
// not check this property: that it is not violated would say nothing.
func (r *Replayed) Finding(s *Schedule, name string) (*Finding, error) {
	if !slices.ContainsFunc(r.checked, func(p property.Property) bool { return property.Finds(p, name) }) {
		return nil, fmt.Errorf("the schedule violates %q, which is not checked here: state it as where the schedule was found", name)
	}
	f := &Finding{Schedule: *s, Steps: r.Steps, Outcome: r.Outcome(name)}
	switch f.Property = name; f.Outcome {
	case StillFails:
		f.Violation = *r.Violation(name)
		f.Steps = told(&f.Violation, r.Steps)
	case Stale:
		f.Text = r.Diverged()
	case Fixed:
		f.Text = name + " holds in this run"
	}
	return f, nil
}
