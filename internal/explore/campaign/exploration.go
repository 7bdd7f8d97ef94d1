package campaign

import (
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// exploration is the state of one call of Run. Only the goroutine of that call writes it: workers return outcomes,
// which are added in job order.
type exploration struct {
	*Config
	worker   *Worker // for the runs that are not jobs
	baseline string
	report   *Report
	sites    siteSet // faults that messages of any run can have
	single   siteSet // faults that messages of runs without faults can have: the candidates for a single fault
	done     bool    // the budget is spent, the time is over, or enough was found
	guide    *guide  // nil if the strategy is not guided
	// collected are the outcomes, if another exploration takes them: this one is a case of it. nil: they are not collected.
	collected *[]outcome
	// foundAgain has the keys of the violations of the runs of earlier findings: the corpus has these.
	foundAgain map[string]bool
}

// Run runs an exploration. The error says which operation the network did not accept, or why the workers failed.
func Run(config *Config) (*Report, error) {
	full := config.withDefaults()
	if err := full.checkOperations(); err != nil {
		return nil, err
	}
	if full.Drawn != nil {
		return runDrawn(&full)
	}
	w, err := NewWorker(&full)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if full.Pool == nil {
		own := newGoroutines(w, full.Workers)
		defer own.close()
		full.Pool = own
	}
	e := &exploration{Config: &full, worker: w, baseline: w.Baseline(), report: newReport(&full)}
	if err := e.phases(); err != nil {
		return nil, err
	}
	if e.report.Runs == 0 {
		return nil, errTimeOver
	}
	e.report.finish()
	e.report.FaultKinds = e.sites.kinds()
	if err := e.shorten(); err != nil {
		return nil, err
	}
	e.keepFindings(e.report.Findings)
	e.report.join()
	return e.report, nil
}

func (e *exploration) phases() error {
	if e.strategy().Guided {
		e.guide = newGuide(e.worker.baseline.fifo)
	}
	e.findings()
	e.add("fifo", e.worker.baseline.run(e.worker.harness, nil, search.FIFO))
	e.findFaults(e.worker.baseline.fifo, true)
	if e.guide != nil {
		if err := e.recorded(); err != nil {
			return err
		}
	}
	if e.Only != nil {
		return e.draw(false)
	}
	if e.Faults > 0 {
		if err := e.eachFault(); err != nil {
			return err
		}
	}
	if err := e.orders(); err != nil {
		return err
	}
	if e.Faults > 1 {
		if err := e.pairs(); err != nil {
			return err
		}
	}
	exhausted := e.report.Exhausted
	if exhausted && (e.Faults == 0 || e.Faults == 1 && e.report.ExhaustedFaults) {
		return nil
	}
	return e.draw(exhausted)
}

// orders runs all classes of orders, without faults and then under each single fault, if there are not too many.
// Otherwise it runs exchanges.
func (e *exploration) orders() (err error) {
	estimate := e.estimate()
	if estimate > float64(e.left()/sampled) {
		if err := e.sample(min(e.left(), DefaultRuns) / sampled); err != nil {
			return err
		}
	}
	if e.report.Exhausted, err = e.allClasses(estimate); err != nil {
		return err
	}
	if !e.report.Exhausted {
		return e.exchanges()
	}
	if e.Faults > 0 {
		e.report.ExhaustedFaults, err = e.classesOfFaults()
	}
	return err
}

// add adds the outcome of a run to the report, unless the exploration is done.
func (e *exploration) add(phase string, o outcome) {
	if e.done {
		return
	}
	if e.collected != nil {
		o.phase = phase
		*e.collected = append(*e.collected, o)
	}
	e.report.count(&o)
	for _, v := range o.violations {
		e.report.addViolation(phase, v, &o)
	}
	e.done = e.report.Runs >= e.Runs || e.Stop > 0 && e.report.violations() >= e.Stop
}

// each runs a batch of jobs and adds the outcomes in job order.
func (e *exploration) each(phase string, b *Batch, then func(*outcome)) error {
	if e.over() || b.Count == 0 {
		return nil
	}
	b.Together = e.worker.baseline.together()
	b.Take = func(number int, r Result) bool {
		for i := range r.outcomes {
			e.add(phase, r.outcomes[i])
			if then != nil {
				then(&r.outcomes[i])
			}
		}
		return e.endJob(b, number)
	}
	return e.run(b)
}

// endJob reports progress, and returns whether the batch goes on: the time is checked after the last job of a chunk, and
// of the batch.
func (e *exploration) endJob(b *Batch, number int) (goesOn bool) {
	e.Progress(e.report)
	return number+1 < b.Count && (number+1)%chunk != 0 || !e.over()
}

// run runs a batch. Without Ready, all its jobs may begin at once.
func (e *exploration) run(b *Batch) error {
	b.Baseline, b.config = e.baseline, e.Config
	if b.Ready == nil {
		b.Ready = func(int) int { return b.Count }
	}
	if err := e.Pool.Run(b); err != nil {
		return &PoolError{err}
	}
	return nil
}

// over reports whether no more runs should begin.
func (e *exploration) over() bool {
	e.done = e.done || e.Expired()
	return e.done
}

// left returns how many runs the budget has left.
func (e *exploration) left() int { return max(0, e.Runs-e.report.Runs) }

// eachFault runs the operations in FIFO order, once for each fault of each message. Messages that only occur under a
// fault are kept for pairs and draws.
func (e *exploration) eachFault() error {
	first := slices.Clone(e.sites.list)
	b := &Batch{Count: len(first), Job: func(number int) Job { return Job{Plan: harness.Plan{first[number]}} }}
	return e.each("fault", b, func(o *outcome) { e.findFaults(o.steps, false) })
}

// findFaults collects the faults that the messages of a run can have. Faultless says that the run itself had none.
func (e *exploration) findFaults(steps []*harness.Step, faultless bool) {
	faults := e.Config.sites(steps)
	e.sites.add(faults)
	e.report.addPossible(faults)
	if faultless {
		e.single.add(e.Config.singleFaults(steps, e.worker.baseline.due))
	}
	e.report.Coverage.Faults = len(e.sites.list)
}

// estimate returns an estimate of the number of classes without faults.
func (e *exploration) estimate() float64 {
	root := e.worker.harness.Begin(nil)
	defer root.Close()
	estimate, _ := (&search.Classes{Steps: maxMessages, Ends: cut, Commute: e.worker.baseline.commute(nil)}).Estimate(root, probes, rand.New(rand.NewPCG(e.Seed, uint64(e.report.Runs))))
	return estimate
}

// sample draws orders without faults before a long enumeration, so that easy findings need not wait for its end.
func (e *exploration) sample(count int) error {
	b := &Batch{Count: count, Job: func(number int) Job { return Job{Chance: rand.NewPCG(e.Seed, uint64(number))} }}
	return e.each("sample", b, nil)
}

// exchanges runs the operations in FIFO order, except that one later message of a canister comes before an earlier one.
func (e *exploration) exchanges() error {
	var all []search.Before
	fifo := e.worker.baseline.fifo
	for later := range fifo {
		for earlier := range later {
			a, b := fifo[earlier], fifo[later]
			if a.Canister == b.Canister && a.Context != b.Context {
				all = append(all, search.Before{First: b.Move, Later: a.Move})
			}
		}
	}
	b := &Batch{Count: min(len(all), e.left()/4), Job: func(number int) Job { return Job{Follow: all[number : number+1]} }}
	return e.each("exchange", b, nil)
}

// pairs runs the operations in FIFO order, once for each pair of faults of different messages.
func (e *exploration) pairs() error {
	var plans []harness.Plan
	most := e.left() / 4
	for i, a := range e.sites.list {
		for _, b := range e.sites.list[i+1:] {
			if a.At != b.At && len(plans) < most {
				plans = append(plans, harness.Plan{a, b})
			}
		}
	}
	b := &Batch{Count: len(plans), Job: func(number int) Job { return Job{Plan: plans[number]} }}
	return e.each("two faults", b, nil)
}

// draw spends the rest of the budget on orders drawn by the strategy, some of them led by a guide.
func (e *exploration) draw(faulty bool) error {
	sites := slices.Clone(e.sites.list)
	b, learn, lead := &Batch{Count: e.left()}, (func(*outcome))(nil), func(int, *Job, *rand.Rand) {}
	if g := e.guide; g != nil {
		s := newGenerations[keptRun](b.Count)
		s.begin(g.kept[g.fifo:]) // the runs of the corpus: FIFO order leads no run until others are known
		b.Ready, learn = s.ready, func(o *outcome) {
			if g.learn(o) {
				e.keep(o)
			}
			s.learned(g.kept)
		}
		lead = func(number int, j *Job, chance *rand.Rand) { keptRuns(s.knownTo(number)).lead(j, chance) }
	}
	b.Job = func(number int) Job {
		source := rand.NewPCG(e.Seed, uint64(number))
		chance := rand.New(source)
		j := Job{Plan: e.drawPlan(sites, faulty, chance), Chance: source}
		lead(number, &j, chance)
		return j
	}
	return e.each(e.strategy().Name, b, learn)
}

// drawPlan draws the faults of a run. Half of the runs have faults; once the orders without faults are exhausted
// (faulty), all do.
func (e *exploration) drawPlan(sites []harness.Fault, faulty bool, chance *rand.Rand) (plan harness.Plan) {
	if e.Faults > 0 && len(sites) > 0 && (faulty || chance.IntN(2) == 0) {
		for range 1 + chance.IntN(e.Faults) {
			site := sites[chance.IntN(len(sites))]
			if !slices.ContainsFunc(plan, func(f harness.Fault) bool { return f.At == site.At }) { // a message has one fault
				plan = append(plan, site)
			}
		}
	}
	return plan
}
