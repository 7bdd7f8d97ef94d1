package campaign

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/candid"
)

// cases is an exploration with drawn arguments and calls: a short exploration for each case, with one report.
type cases struct {
	*exploration                // its Setup.Operations are those of config and the ones of Drawn.Any
	config       *Config        // that draws
	known        []candid.Value // values of the base that are likely in arguments
	states       stateGuide
	generations  *generations[[]CaseCall]
}

// runDrawn runs an exploration with drawn arguments.
func runDrawn(full *Config) (*Report, error) {
	w, err := NewWorker(full)
	if err != nil {
		return nil, err
	}
	if full.Pool == nil {
		own := newGoroutines(w, full.Workers)
		defer own.close()
		full.Pool = own
	}
	templates := *full
	templates.Setup.Operations = slices.Clone(full.Setup.Operations)
	for i := range full.Drawn.Any {
		templates.Setup.Operations = append(templates.Setup.Operations, full.Drawn.Any[i].Operation)
	}
	x := &cases{
		exploration: &exploration{Config: &templates, worker: w, baseline: w.Baseline(), report: newReport(&templates)},
		config:      full, known: w.cases.known, states: newStateGuide(),
	}
	if err := errors.Join(x.findings(), x.recorded(), x.draw()); err != nil {
		return nil, err
	}
	if x.report.Runs == 0 {
		return nil, errors.New("no case was run: the time was over, or the network accepted none of the drawn operations")
	}
	x.report.rows, x.report.FaultKinds = nil, x.sites.kinds()
	x.report.finish()
	x.report.join()
	return x.report, nil
}

// recorded makes the cases of the corpus that are not those of findings.
func (x *cases) recorded() error {
	_, runs := x.corpus()
	return x.batch(&Batch{Count: len(runs), Job: func(number int) Job {
		r := runs[number]
		return Job{Case: &CaseJob{Number: number, Begin: r.before, Given: r.operations, Plan: r.schedule.Plan, Messages: r.names}}
	}}, func(*takenCase) {})
}

// draw draws cases until the budget is spent.
func (x *cases) draw() error {
	x.generations = newGenerations[[]CaseCall](x.left())
	x.generations.begin(x.states.kept)
	return x.batch(&Batch{Count: x.left(), Ready: x.generations.ready, Job: x.job}, func(k *takenCase) {
		if x.Keep != nil {
			round := x.config.caseOf(&k.made)
			for _, o := range k.shown {
				x.Keep(round.recordedFile(o))
			}
		}
		x.generations.learned(x.states.kept)
	})
}

// batch runs a batch of cases, and calls then with each.
func (x *cases) batch(b *Batch, then func(*takenCase)) (failed error) {
	if x.over() || b.Count == 0 {
		return nil
	}
	b.Together = 1
	b.Take = func(number int, r Result) bool {
		k, err := x.take(b.Job(number).Case, &r)
		if err != nil {
			failed = err
			return false
		}
		then(k)
		x.Progress(x.report)
		return !x.over()
	}
	return errors.Join(x.run(b), failed)
}

// job returns a case. Some begin in a state that an earlier case reached.
func (x *cases) job(number int) Job {
	j := &CaseJob{Number: number}
	if !x.config.Drawn.Fresh {
		j.Begin = drawState(x.generations.knownTo(number), rand.New(rand.NewPCG(x.Seed, stateStream+uint64(number))))
	}
	return Job{Case: j}
}

// takenCase is a case whose outcomes were added to the report.
type takenCase struct {
	drawnCase            // without the calls that were not replied to
	made      madeCase   // its calls
	shown     []*outcome // runs that showed something new
}

// take adds the outcomes of a case to the report, and shortens what was found in it.
func (x *cases) take(j *CaseJob, r *Result) (*takenCase, error) {
	all, rows, err := x.config.drawCase(j, x.known)
	if err == nil {
		err = fits(r, len(all.before), len(rows))
	}
	if err != nil {
		return nil, err
	}
	k := &takenCase{drawnCase: drawnCase{operations: all.operations}}
	for _, i := range r.replied {
		k.before = append(k.before, all.before[i])
	}
	if k.made, err = k.drawnCase.make(); err != nil {
		return nil, err
	}
	x.report.rows = rows
	found := len(x.report.Findings)
	for i := range r.outcomes {
		o := &r.outcomes[i]
		if x.add(o.phase, *o); o.phase == "fifo" || o.phase == "fault" {
			x.findFaults(o.steps, false)
		}
	}
	if k.shown = x.states.learn(r); k.shown != nil {
		x.states.keep(x.config.callsOfAny(&k.drawnCase))
	}
	for _, f := range x.report.Findings[found:] {
		if err := x.simplify(k.drawnCase, f); err != nil {
			return nil, err
		}
	}
	x.keepFindings(x.report.Findings[found:])
	return k, nil
}

// fits checks that the results of a case are about its calls and operations: workers of other processes have sent them.
func fits(r *Result, before, operations int) error {
	for _, i := range r.replied {
		if i >= before {
			return fmt.Errorf("a result is about call %d of %d before a case", i+1, before)
		}
	}
	for i := range r.outcomes {
		for _, a := range r.outcomes[i].answers {
			if a.Position >= operations {
				return fmt.Errorf("a result is about operation %d of %d of a case", a.Position+1, operations)
			}
		}
	}
	return nil
}

// simplify gives a finding the simplest case that shows it.
func (x *cases) simplify(k drawnCase, f *Finding) error {
	round, done, err := x.config.caseConfig(&k)
	if err != nil {
		return err
	}
	defer done()
	return x.config.simplify(k, &round, f)
}
