package campaign

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/search"
	"github.com/canisterd/canisterd/intercanister"
)

// Outcome is what a replay says of the property that its schedule violated.
type Outcome uint8

// The outcomes.
const (
	StillFails Outcome = iota + 1 // the property is violated again
	Fixed                         // it is not, and a module has changed
	Stale                         // it is not, but the run is another: the replay says nothing about these canisters
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
	if o.partial {
		return nil, errOver
	}
	r := &Replayed{Violations: o.violations, Steps: o.steps, Unmet: follow.Unmet(), Unapplied: o.unapplied, checked: b.properties}
	r.record, r.refused = s.record, full.withoutMethod(o.answers)
	r.silent = !slices.ContainsFunc(o.answers, func(a harness.Answer) bool { return !a.Open && a.Reject == nil })
	if r.record != nil {
		r.unexplained = r.record.unexplained(&full, o.steps)
	}
	return r, nil
}

// withoutMethod says which operation has called a method that its canister does not have, "" for none.
func (c *Config) withoutMethod(answers []harness.Answer) string {
	for _, a := range answers {
		if a.Reject != nil && (a.Reject.Error == intercanister.CanisterMethodNotFound || a.Reject.Error == intercanister.CanisterWasmModuleNotFound) {
			to := &c.Setup.Operations[a.Position].Message
			return fmt.Sprintf("diverged at %s: canister %s has no method %s", a.Operation, c.Setup.NameOf(to.Receiver), to.Method)
		}
	}
	return ""
}

// Replayed is what a replay showed.
type Replayed struct {
	Violations []property.Violation
	Steps      []*harness.Step
	Unmet      []search.Before // deviations whose messages did not come in this order
	Unapplied  []harness.Fault // faults whose messages did not come
	checked    []property.Property

	record      *record // of the file of the schedule; nil: it is of none
	refused     string  // which operation has no method, "" for none
	unexplained string  // why it does not count that the property holds, "" if it counts
	silent      bool    // no operation is replied to
}

// Violation is the first violation of a property, nil if the replay does not violate it. One about the same canister and
// method as that of the file is taken before others.
func (r *Replayed) Violation(name string) (found *property.Violation) {
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Property != name {
			continue
		}
		if r.record != nil && v.Canister == r.record.canister && v.Method == r.record.method {
			return v
		}
		if found == nil {
			found = v
		}
	}
	return found
}

// Violates reports whether the replay violates a property.
func (r *Replayed) Violates(name string) bool { return r.Violation(name) != nil }

// Outcome is what the replay says of a property. Of a schedule without a file it is not known whether a module has
// changed.
func (r *Replayed) Outcome(name string) Outcome {
	switch {
	case r.Violates(name):
		return StillFails
	case r.Stale() || r.unexplained != "":
		return Stale
	}
	return Fixed
}

// Stale reports whether a part of the schedule does not fit the canisters any more.
func (r *Replayed) Stale() bool { return r.refused != "" || len(r.Unmet) > 0 || len(r.Unapplied) > 0 }

// Diverged says where a stale schedule does not fit, "" if it fits.
func (r *Replayed) Diverged() string {
	switch {
	case r.refused != "":
		return r.refused
	case len(r.Unapplied) > 0:
		f := r.Unapplied[0]
		if slices.Contains(names(r.Steps), f.At) {
			return fmt.Sprintf("diverged at %s, whose fault %s cannot happen", f.At, f.Kind)
		}
		return fmt.Sprintf("diverged at %s, which did not come: its fault is %s", f.At, f.Kind)
	case len(r.Unmet) > 0:
		return fmt.Sprintf("diverged at %s, which did not come before %s", r.Unmet[0].First, r.Unmet[0].Later)
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
		f.Text = cmp.Or(r.Diverged(), r.unexplained)
	case Fixed:
		f.Text = name + " holds in this run"
		if r.silent {
			f.Text += ", in which no operation is replied to"
		}
	}
	return f, nil
}
