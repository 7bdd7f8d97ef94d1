package campaign

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// Outcome is the result of a replay for the property that its schedule violated.
type Outcome uint8

// The outcomes.
const (
	StillFails Outcome = iota + 1 // the property is violated again
	Fixed                         // the property holds, and a module has changed
	Stale                         // the property holds in a different run, which proves nothing about these canisters
)

// String returns the outcome for people.
func (o Outcome) String() string { return [...]string{"", "still fails", "fixed", "stale"}[o] }

// Replay runs the schedule of a finding or a file. The result says whether the property is violated again, and which
// parts of the schedule matched no messages.
func Replay(config *Config, s *Schedule) (*Replayed, error) {
	if why := s.record.elsewhere(config); why != "" {
		return &Replayed{record: s.record, elsewhere: why}, nil
	}
	r, _, err := config.replay(s)
	return r, err
}

// replay runs a schedule of this network, and also returns the outcome of the run.
func (c *Config) replay(s *Schedule) (*Replayed, *outcome, error) {
	full := c.withDefaults()
	for _, f := range s.Plan {
		if f.Kind != harness.OtherAnswer {
			continue
		}
		if err := full.checkAnswer(f.At, f.Answer+1); err != nil {
			return nil, nil, err
		}
	}
	b, l, err := newBaseline(&full, s.Operations)
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	follow := search.Follow(s.Deviations)
	o := b.run(l, s.Plan, follow)
	if o.partial {
		return nil, nil, errTimeOver
	}
	r := &Replayed{Violations: o.violations, Steps: o.steps, Unmet: follow.Unmet(), Unapplied: o.unapplied, checked: b.properties}
	r.config, r.schedule = &full, s
	r.record, r.missingMethod = s.record, full.missingMethod(o.answers)
	r.noReply = !slices.ContainsFunc(o.answers, func(a harness.Answer) bool { return !a.Open && a.Reject == nil })
	if r.record != nil {
		r.inconclusive = r.record.inconclusive(&full, o.steps)
	}
	return r, &o, nil
}

// missingMethod says which operation called a method that its canister does not have, "" for none.
func (c *Config) missingMethod(answers []harness.Answer) string {
	for _, a := range answers {
		if a.Reject != nil && (a.Reject.Error == intercanister.CanisterMethodNotFound || a.Reject.Error == intercanister.CanisterWasmModuleNotFound) {
			to := &c.Setup.Operations[a.Position].Message
			return fmt.Sprintf("diverged at %s: canister %s has no method %s", a.Operation, c.Setup.NameOf(to.Receiver), to.Method)
		}
	}
	return ""
}

// Replayed is the result of a replay.
type Replayed struct {
	Violations []property.Violation
	Steps      []*harness.Step
	Unmet      []search.Before // deviations whose messages did not come, or not in this order
	Unapplied  []harness.Fault // faults that did not happen
	// Certain and Likely are those of the finding, if SetPoints was called.
	Certain, Likely *Point

	checked  []property.Property
	config   *Config
	schedule *Schedule

	record        *record // of the schedule file; nil: the schedule has no file
	elsewhere     string  // why the schedule is of another network, "" if it may be of this one; then nothing was run
	missingMethod string  // which operation calls a method that does not exist, "" for none
	inconclusive  string  // why it proves nothing that the property holds, "" if it proves a fix
	noReply       bool    // no operation got a reply
}

// Violation returns the first violation of a property, nil if the replay does not violate it. It prefers a violation
// with the canister and the method that the file names.
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

// Outcome returns the outcome for a property. For a schedule without a file it is unknown whether a module has changed:
// Fixed then only says that the property holds.
func (r *Replayed) Outcome(name string) Outcome {
	switch {
	case r.Violates(name):
		return StillFails
	case r.Stale() || r.inconclusive != "" || r.elsewhere != "":
		return Stale
	}
	return Fixed
}

// Stale reports whether a part of the schedule no longer fits the canisters.
func (r *Replayed) Stale() bool {
	return r.missingMethod != "" || len(r.Unmet) > 0 || len(r.Unapplied) > 0
}

// Diverged says where a stale schedule does not fit, "" if it fits.
func (r *Replayed) Diverged() string {
	switch {
	case r.missingMethod != "":
		return r.missingMethod
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

// SetPoints sets the messages after which the first violation of the replay is certain and likely, as in a finding.
func (r *Replayed) SetPoints() error {
	if len(r.Violations) == 0 {
		return nil
	}
	b, l, err := newBaseline(r.config, r.schedule.Operations)
	if err != nil {
		return err
	}
	defer l.Close()
	f := &Finding{Violation: r.Violations[0], Schedule: *r.schedule, Steps: r.Steps}
	b.setPoints(l, f)
	r.Certain, r.Likely = f.Certain, f.Likely
	return nil
}

// Finding returns the run of the replay as a finding of the property with a name. It fails if the replay does not check
// this property: then the absence of a violation means nothing.
func (r *Replayed) Finding(s *Schedule, name string) (*Finding, error) {
	if r.elsewhere == "" && !slices.ContainsFunc(r.checked, func(p property.Property) bool { return property.Finds(p, name) }) {
		return nil, fmt.Errorf("the schedule violates %q, which is not checked here: state it as in the exploration that found the schedule", name)
	}
	f := &Finding{Schedule: *s, Steps: r.Steps, Outcome: r.Outcome(name)}
	f.Property = name
	if f.Outcome == StillFails {
		f.Violation = *r.Violation(name)
		f.Steps = listed(&f.Violation, r.Steps)
	} else {
		f.Text = r.reason(name, f.Outcome)
	}
	return f, nil
}

// reason says why a replay that does not violate a property has an outcome.
func (r *Replayed) reason(name string, outcome Outcome) string {
	switch {
	case outcome == Stale:
		return cmp.Or(r.elsewhere, r.Diverged(), r.inconclusive)
	case r.noReply:
		return name + " holds in this run, in which no operation is replied to"
	}
	return name + " holds in this run"
}
