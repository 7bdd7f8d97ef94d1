package campaign

import (
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/search"
)

// exploration is one exploration on its way. Only its own goroutine writes it: workers return outcomes, which are
// added in the order of their numbers.
type exploration struct {
	*Config
	worker   *Worker // for what is not a job
	baseline string
	report   *Report
	sites    siteSet // faults that a message of some run can have
	alone    siteSet // those of the messages of runs without faults: a run may have one of them and no other
	done     bool    // the budget is spent, the time is over, or enough was found
}

// Run explores. The error says which operation the network did not accept, or why workers failed.
func Run(config *Config) (*Report, error) {
	full := config.withDefaults()
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
		return nil, errOver
	}
	e.report.finish()
	e.report.FaultKinds = e.sites.kinds()
	if err := e.shorten(); err != nil {
		return nil, err
	}
	return e.report, nil
}

func (e *exploration) phases() error {
	e.add("fifo", e.worker.bench.run(e.worker.harness, nil, search.FIFO))
	e.findFaults(e.worker.bench.fifo, true)
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

// orders runs orders of messages: all classes, if there are not too many, without faults and then under each single
// fault. Otherwise it runs exchanges.
func (e *exploration) orders() (err error) {
	estimate := e.estimate()
	if estimate > float64(e.left()/sampled) {
		if err := e.sample(e.left() / sampled); err != nil {
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

// add adds the outcome of a run to the report.
func (e *exploration) add(phase string, o outcome) {
	if e.done {
		return
	}
	e.report.count(&o)
	for _, v := range o.violations {
		e.report.find(phase, v, &o)
	}
	e.done = e.report.Runs >= e.Runs || e.Stop > 0 && e.report.violations() >= e.Stop
}

// each runs a batch of jobs and adds the outcomes in the order of their numbers.
func (e *exploration) each(phase string, b *Batch, then func(*outcome)) error {
	if e.over() || b.Count == 0 {
		return nil
	}
	b.Together = e.worker.bench.together()
	b.Take = func(number int, r Result) bool {
		for i := range r.outcomes {
			e.add(phase, r.outcomes[i])
			if then != nil {
				then(&r.outcomes[i])
			}
		}
		return e.endChunk(b, number)
	}
	return e.run(b)
}

// endChunk shows the progress if a job is the last of a chunk, or of its batch. It reports whether the batch goes on.
func (e *exploration) endChunk(b *Batch, number int) (goesOn bool) {
	if number+1 < b.Count && (number+1)%chunk != 0 {
		return true
	}
	e.Progress(e.report)
	return !e.over()
}

// run runs a batch. Without Ready, all its jobs may begin.
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

// over reports whether no more runs are to begin.
func (e *exploration) over() bool {
	e.done = e.done || e.Expired()
	return e.done
}

// left is how many runs the budget has left.
func (e *exploration) left() int { return max(0, e.Runs-e.report.Runs) }

// eachFault runs the operations in FIFO order, once for each fault of each message. Messages that only such a run has
// are remembered for pairs and draws.
func (e *exploration) eachFault() error {
	first := slices.Clone(e.sites.list)
	b := &Batch{Count: len(first), Job: func(number int) Job { return Job{Plan: harness.Plan{first[number]}} }}
	return e.each("fault", b, func(o *outcome) { e.findFaults(o.steps, false) })
}

// findFaults remembers the faults that the messages of a run may have. Alone says that the run had none.
func (e *exploration) findFaults(steps []*harness.Step, alone bool) {
	faults := e.Config.sites(steps)
	e.sites.add(faults)
	e.report.possible(faults)
	if alone {
		e.alone.add(e.Config.alone(steps, e.worker.bench.due))
	}
	e.report.Coverage.Faults = len(e.sites.list)
}

// estimate is an estimate of the number of classes without faults.
func (e *exploration) estimate() float64 {
	root := e.worker.harness.Begin(nil)
	defer root.Close()
	estimate, _ := (&search.Classes{Steps: maxMessages, Ends: cut, Commute: e.worker.bench.commute(nil)}).Estimate(root, probes, rand.New(rand.NewPCG(e.Seed, uint64(e.report.Runs))))
	return estimate
}

// sample draws orders without faults where there are many: what some of them show need not wait until all were run.
func (e *exploration) sample(count int) error {
	b := &Batch{Count: count, Job: func(number int) Job { return Job{Chance: rand.NewPCG(e.Seed, uint64(number))} }}
	return e.each("sample", b, nil)
}

// exchanges runs the operations in FIFO order, but with one later message of a canister before an earlier one.
func (e *exploration) exchanges() error {
	var all []search.Before
	fifo := e.worker.bench.fifo
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

// pairs runs the operations in FIFO order, once for each two faults of different messages.
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

// draw spends what is left of the budget on orders that the strategy draws, some of which a guide leads.
func (e *exploration) draw(faulty bool) error {
	sites := slices.Clone(e.sites.list)
	b, learn, lead := &Batch{Count: e.left()}, (func(*outcome))(nil), func(int, *Job, *rand.Rand) {}
	if e.strategy().Guided {
		g := newGenerations(newGuide(e.worker.bench.fifo), b.Count)
		b.Ready, learn, lead = g.ready, g.learn, g.lead
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

// drawPlan draws the faults of a run. Half of the runs have some, all of them where the orders without faults are exhausted.
func (e *exploration) drawPlan(sites []harness.Fault, faulty bool, chance *rand.Rand) (plan harness.Plan) {
	if e.Faults > 0 && len(sites) > 0 && (faulty || chance.IntN(2) == 0) {
		for range 1 + chance.IntN(e.Faults) {
			plan = append(plan, sites[chance.IntN(len(sites))])
		}
	}
	return plan
}
