package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// Recorded is a run of an earlier exploration that showed something new or violated a property. An exploration begins with
// these runs, and later ones begin like them.
type Recorded struct {
	file     string // name
	property string // that the run violates; schedule.NewCoverage: it violates none
	schedule Schedule
	names    []string // of its messages
	// before and operations are the calls of a case; nil: the operations are those of the exploration.
	before, operations []CaseCall
}

// finding reports whether the run is that of a finding.
func (r *Recorded) finding() bool { return r.property != schedule.NewCoverage }

// AddRecorded adds the run of a schedule file to Config.Corpus; canister finds a canister by its name or id. The error says why
// the run does not fit this exploration: such a file is stale.
func (c *Config) AddRecorded(name string, file *schedule.File, canister func(name string) (principal.Principal, bool)) error {
	if len(c.Corpus) >= MaxCorpus {
		return fmt.Errorf("an exploration begins with at most %d runs of a corpus", MaxCorpus)
	}
	r := Recorded{file: name, property: c.Setup.WithNames(file.Property), names: file.Messages}
	before, err := c.beforeCase(file, canister)
	switch {
	case err != nil:
		return err
	case c.Drawn != nil:
		err = c.readRecordedCase(&r, file, before, canister)
	default:
		err = c.readRecordedRun(&r, file, before, canister)
	}
	if err == nil && r.finding() {
		err = c.fitsFinding(&r)
	}
	if err == nil {
		c.Corpus = append(c.Corpus, r)
	}
	return err
}

// beforeCase returns the calls of a file before its operations without those of Config.Before, with which it must begin.
func (c *Config) beforeCase(file *schedule.File, canister func(name string) (principal.Principal, bool)) ([]harness.Operation, error) {
	before, err := Before(file, canister)
	if err != nil {
		return nil, err
	}
	for i := range c.Before {
		if len(before) == 0 || !sameCall(&before[0].Message, &c.Before[i].Message) {
			return nil, fmt.Errorf("it does not begin with %s", c.Before[i].Title)
		}
		before = before[1:]
	}
	return before, nil
}

// readRecordedRun reads the run of a file whose operations are those of the exploration. A finding may have fewer of them.
func (c *Config) readRecordedRun(r *Recorded, file *schedule.File, before []harness.Operation, canister func(name string) (principal.Principal, bool)) error {
	own := *c
	s, err := own.OfFile(file, canister)
	if err != nil {
		return err
	}
	if len(before) > 0 {
		return fmt.Errorf("it begins with %s, and the exploration makes no such call before its operations", before[0].Title)
	}
	if len(s.Operations) != len(c.Setup.Operations) && !r.finding() {
		return fmt.Errorf("it has %d operations, and the exploration has %d", len(s.Operations), len(c.Setup.Operations))
	}
	r.schedule = *s
	return nil
}

// readRecordedCase reads the run of a file for an exploration with drawn arguments or calls.
func (c *Config) readRecordedCase(r *Recorded, file *schedule.File, before []harness.Operation, canister func(name string) (principal.Principal, bool)) error {
	operations, err := Operations(file, canister)
	if err != nil {
		return err
	}
	if err := errors.Join(r.schedule.readRecord(file, canister), r.schedule.readDeviations(c, file)); err != nil {
		return err
	}
	fixed := len(c.Setup.Operations)
	if len(operations) < fixed && !r.finding() || len(operations) > fixed+2 || len(before) > maxStateCalls+maxDrawnCalls {
		return fmt.Errorf("it has %d operations after %d calls, and the exploration has %d operations", len(operations), len(before), fixed)
	}
	for i := range before {
		if r.before, err = c.appendRecorded(r.before, &before[i], -1); err != nil {
			return err
		}
	}
	if !r.finding() {
		for i := range operations {
			if r.operations, err = c.appendRecorded(r.operations, &operations[i], i); err != nil {
				return err
			}
		}
		return nil
	}
	return c.readCaseOfFinding(r, file, operations)
}

// appendRecorded appends a call of a file: the operation at a position of the exploration, or a call of Drawn.Any.
func (c *Config) appendRecorded(to []CaseCall, o *harness.Operation, position int) ([]CaseCall, error) {
	same := func(t *harness.Operation) bool {
		m := &t.Message
		return m.Receiver == o.Message.Receiver && m.Method == o.Message.Method && m.Sender == o.Message.Sender
	}
	call := CaseCall{Template: -1, Arg: o.Message.Arg}
	if fixed := len(c.Setup.Operations); position >= 0 && position < fixed {
		if same(&c.Setup.Operations[position]) {
			call.Template = position
		}
	} else {
		for i := range c.Drawn.Any {
			if same(&c.Drawn.Any[i].Operation) {
				call.Template = fixed + i
			}
		}
	}
	if call.Template < 0 {
		return nil, fmt.Errorf("%s.%s of this caller is not drawn here", c.Setup.NameOf(o.Message.Receiver), o.Message.Method)
	}
	t, drawn := c.template(call.Template)
	if !drawn && !bytes.Equal(t.Operation.Message.Arg, call.Arg) {
		return nil, fmt.Errorf("operation %s has other arguments here", t.Operation.Title)
	}
	if drawn {
		if _, err := candid.DecodeTypes(call.Arg, t.Method.Types); err != nil {
			return nil, fmt.Errorf("the interface of %s.%s has changed: %w", c.Setup.NameOf(o.Message.Receiver), o.Message.Method, err)
		}
	}
	return append(to, call), nil
}

// recordedFile returns the file of a run that showed something new.
func (c *Config) recordedFile(o *outcome) *schedule.File {
	f := &Finding{Steps: o.steps, Violation: property.Violation{Property: schedule.NewCoverage, Text: "this run showed something new"}}
	f.Schedule.Plan = o.plan
	for i := range c.Setup.Operations {
		f.Schedule.Operations = append(f.Schedule.Operations, i)
	}
	return f.File(c)
}

// keep tells the caller of a run that showed something new.
func (e *exploration) keep(o *outcome) {
	if e.Keep != nil {
		e.Keep(e.recordedFile(o))
	}
}

// recorded makes the runs of the corpus that are not those of findings.
func (e *exploration) recorded() error {
	_, runs := e.corpus()
	b := &Batch{Count: len(runs), Job: func(number int) Job {
		r := runs[number]
		return Job{Plan: r.schedule.Plan, Begin: r.names, Chance: rand.NewPCG(e.Seed, corpusStream+uint64(number))}
	}}
	return e.each(corpusPhase, b, func(o *outcome) { e.guide.learn(o) })
}
