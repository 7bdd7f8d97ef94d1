package campaign

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// Recorded is a run of an earlier exploration that showed something new. An exploration begins with these runs, and later ones
// begin like them.
type Recorded struct {
	plan  harness.Plan
	names []string // of its messages
	// before and operations are the calls of a case; nil: the operations are those of the exploration.
	before, operations []CaseCall
}

// AddRecorded adds the run of a schedule file to Config.Corpus; canister finds a canister by its name or id. The error says why
// the run does not fit this exploration: such a file is stale.
func (c *Config) AddRecorded(file *schedule.File, canister func(name string) (principal.Principal, bool)) error {
	if len(c.Corpus) >= MaxCorpus {
		return fmt.Errorf("an exploration begins with at most %d runs of a corpus", MaxCorpus)
	}
	own := *c
	if c.Drawn != nil {
		return c.addRecordedCase(file, canister)
	}
	s, err := own.OfFile(file, canister)
	if err != nil {
		return err
	}
	if len(s.Operations) != len(c.Setup.Operations) {
		return fmt.Errorf("it has %d operations, and the exploration has %d", len(s.Operations), len(c.Setup.Operations))
	}
	c.Corpus = append(c.Corpus, Recorded{plan: s.Plan, names: file.Messages})
	return nil
}

// addRecordedCase is AddRecorded for cases. The calls of Config.Before come before those of the case.
func (c *Config) addRecordedCase(file *schedule.File, canister func(name string) (principal.Principal, bool)) error {
	before, err := Before(file, canister)
	if err != nil {
		return err
	}
	operations, err := Operations(file, canister)
	if err != nil {
		return err
	}
	for i := range c.Before {
		if len(before) == 0 || !sameCall(&before[0].Message, &c.Before[i].Message) {
			return fmt.Errorf("it does not begin with %s", c.Before[i].Title)
		}
		before = before[1:]
	}
	r := Recorded{names: file.Messages}
	var s Schedule
	if err := s.readDeviations(c, file); err != nil {
		return err
	}
	r.plan = s.Plan
	fixed := len(c.Setup.Operations)
	if len(operations) < fixed || len(operations) > fixed+2 || len(before) > maxStateCalls+maxDrawnCalls {
		return fmt.Errorf("it has %d operations after %d calls, and the exploration has %d operations", len(operations), len(before), fixed)
	}
	for i := range before {
		if r.before, err = c.appendRecorded(r.before, &before[i], -1); err != nil {
			return err
		}
	}
	for i := range operations {
		if r.operations, err = c.appendRecorded(r.operations, &operations[i], i); err != nil {
			return err
		}
	}
	c.Corpus = append(c.Corpus, r)
	return nil
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

// recorded makes the runs of the corpus.
func (e *exploration) recorded() error {
	b := &Batch{Count: len(e.Corpus), Job: func(number int) Job {
		r := &e.Corpus[number]
		return Job{Plan: r.plan, Begin: r.names, Chance: rand.NewPCG(e.Seed, corpusStream+uint64(number))}
	}}
	return e.each("corpus", b, func(o *outcome) { e.guide.learn(o) })
}
