package campaign

import (
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// corpusPhase is the phase of the runs of a corpus.
const corpusPhase = "corpus"

// corpus returns the runs of the corpus: those of findings, which are made first, and the others.
func (c *Config) corpus() (findings, runs []*Recorded) {
	for i := range c.Corpus {
		if r := &c.Corpus[i]; r.finding() {
			findings = append(findings, r)
		} else {
			runs = append(runs, r)
		}
	}
	return findings, runs
}

// fitsFinding says why this exploration cannot find the finding of a file again, nil if it can.
func (c *Config) fitsFinding(r *Recorded) error {
	if why := r.schedule.record.elsewhere(c); why != "" {
		return errors.New(why)
	}
	for _, f := range r.schedule.Plan {
		if c.Kinds != nil && !slices.Contains(c.Kinds, f.Kind) {
			return fmt.Errorf("it has fault %s, which this exploration does not make", f.Kind)
		}
	}
	if n := len(r.schedule.Plan); n > c.Faults {
		return fmt.Errorf("it has %d faults, and a run of this exploration has at most %d", n, c.Faults)
	}
	checked := slices.Clone(c.Properties)
	if !c.NoBuiltin {
		checked = append(checked, property.Builtin(len(r.schedule.Operations) <= maxSerial, nil, c.namedReply)...)
	}
	if !slices.ContainsFunc(checked, func(p property.Property) bool { return property.Finds(p, r.property) }) {
		return fmt.Errorf("it violates %q, which this exploration does not check", r.property)
	}
	return nil
}

// readCaseOfFinding reads the operations of a finding with drawn arguments or calls. At the positions that its schedule leaves out
// is another call, which takes no part in the run.
func (c *Config) readCaseOfFinding(r *Recorded, file *schedule.File, operations []harness.Operation) error {
	r.operations = make([]CaseCall, max(len(c.Setup.Operations), len(operations)))
	left := make([]bool, len(r.operations))
	for i := range left {
		left[i] = true
	}
	for number, o := range slices.Concat(file.Operations, file.Probed) {
		position, err := positionOf(o.Name)
		if err != nil {
			return err
		}
		if !left[position] {
			return fmt.Errorf("it has two operations %s", o.Name)
		}
		call, err := c.appendRecorded(nil, &operations[position], position)
		if err != nil {
			return err
		}
		r.operations[position], left[position] = call[0], false
		if number < len(file.Operations) {
			r.schedule.Operations = append(r.schedule.Operations, position)
		}
	}
	for position := range left {
		if left[position] {
			r.operations[position] = r.operations[r.schedule.Operations[0]]
		}
	}
	return nil
}

// findAgain makes the run of an earlier finding, with the configuration of its operations, and returns what it finds. The outcome is
// nil if the run was not made: the time is over, or the network does not accept an operation.
func (e *exploration) findAgain(own *Config, r *Recorded) (*outcome, []*Finding) {
	again, o, err := own.replay(&r.schedule)
	switch {
	case errors.Is(err, errTimeOver):
		return nil, nil
	case err != nil:
		e.Passed(r.file, err.Error())
		return nil, nil
	}
	if e.foundAgain == nil {
		e.foundAgain = make(map[string]bool)
	}
	for i := range o.violations {
		e.foundAgain[o.violations[i].Key()] = true
	}
	if outcome := again.Outcome(r.property); outcome != StillFails {
		e.Passed(r.file, again.reason(r.property, outcome))
	}
	count := len(e.report.Findings)
	e.add(corpusPhase, *o)
	for _, f := range e.report.Findings[count:] {
		f.Schedule.Operations = slices.Clone(r.schedule.Operations)
	}
	e.Progress(e.report)
	return o, e.report.Findings[count:]
}

// findings makes the runs of earlier findings.
func (e *exploration) findings() {
	all, _ := e.corpus()
	for _, r := range all {
		if e.over() {
			return
		}
		if o, _ := e.findAgain(e.Config, r); o != nil && e.guide != nil {
			e.guide.learn(o)
		}
	}
}

// findings makes the cases of earlier findings.
func (x *cases) findings() error {
	all, _ := x.corpus()
	for _, r := range all {
		if x.over() {
			break
		}
		if err := x.findCaseAgain(r); err != nil {
			return err
		}
	}
	return nil
}

// findCaseAgain makes the run of an earlier finding with its calls, and simplifies what it finds.
func (x *cases) findCaseAgain(r *Recorded) error {
	k, rows, err := x.config.drawCase(&CaseJob{Begin: r.before, Given: r.operations}, nil)
	if err != nil {
		return err
	}
	round, done, err := x.config.caseConfig(&k)
	if err != nil {
		x.Passed(r.file, err.Error())
		return nil // a call before the operations is not replied to
	}
	defer done()
	x.report.rows = rows
	o, found := x.findAgain(&round, r)
	if o == nil {
		return nil
	}
	if x.states.learn(&Result{outcomes: []outcome{*o}}) != nil {
		x.states.keep(x.config.callsOfAny(&k))
	}
	for _, f := range found {
		if err := x.config.simplify(k, &round, f); err != nil {
			return err
		}
	}
	return nil
}

// keepFindings tells the caller of findings that the corpus does not have.
func (e *exploration) keepFindings(all []*Finding) {
	for _, f := range all {
		if e.Keep != nil && len(f.names) > 0 && !e.foundAgain[f.Key()] {
			e.Keep(f.File(e.Config))
		}
	}
}
