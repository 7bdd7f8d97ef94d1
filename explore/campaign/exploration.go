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
	sites    siteSet
	done     bool // the budget is spent, the time is over, or enough was found
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
	e.report.finish()
	e.report.FaultKinds = e.sites.kinds()
	if err := e.shorten(); err != nil {
		return nil, err
	}
	return e.report, nil
}

func (e *exploration) phases() error {
	e.add("fifo", e.worker.bench.run(e.worker.harness, nil, search.FIFO))
	e.sites.add(e.Config.sites(e.worker.bench.fifo))
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

// each runs jobs and adds the outcomes of each chunk in the order of their numbers.
func (e *exploration) each(phase string, count int, job func(number int) Job, then func(*outcome)) error {
	if e.over() || count == 0 {
		return nil
	}
	return e.run(count, e.worker.bench.together(), job, func(number int, r Result) bool {
		for i := range r.outcomes {
			e.add(phase, r.outcomes[i])
			if then != nil {
				then(&r.outcomes[i])
			}
		}
		if number+1 < count && (number+1)%chunk != 0 {
			return true
		}
		e.Progress(e.report)
		return !e.over()
	})
}

// run runs a batch of jobs.
func (e *exploration) run(count, together int, job func(number int) Job, take func(number int, r Result) bool) error {
	b := &Batch{Count: count, Together: together, Job: job, Take: take, Baseline: e.baseline, config: e.Config}
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
	return e.each("fault", len(first), func(number int) Job { return Job{Plan: harness.Plan{first[number]}} }, func(o *outcome) {
		e.sites.add(e.Config.sites(o.steps))
	})
}

// estimate is an estimate of the number of classes without faults.
func (e *exploration) estimate() float64 {
	root := e.worker.harness.Begin(nil)
	defer root.Close()
	estimate, _ := (&search.Classes{Steps: maxMessages}).Estimate(root, probes, rand.New(rand.NewPCG(e.Seed, uint64(e.report.Runs))))
	return estimate
}

// sample draws orders without faults where there are many: what some of them show need not wait until all were run.
func (e *exploration) sample(count int) error {
	return e.each("sample", count, func(number int) Job { return Job{Chance: rand.NewPCG(e.Seed, uint64(number))} }, nil)
}

// allClasses runs each class of orders without faults, if there are not too many. It reports whether all were run.
func (e *exploration) allClasses(estimate float64) (all bool, err error) {
	budget := e.left() / 2
	if e.over() || estimate > float64(budget) {
		return false, nil
	}
	parts := (&search.Classes{Steps: maxMessages}).Split(e.worker.harness.Begin(nil), subtrees)
	for len(parts) > 0 && !e.over() && e.report.Classes < budget {
		// One subtree may have many more classes than another.
		most := max(chunk, uneven*(budget-e.report.Classes)/len(parts))
		some := parts[:min(len(parts), together)]
		if all, err := e.subtrees(some, most); err != nil || !all {
			return false, err
		}
		parts = parts[len(some):]
	}
	return len(parts) == 0 && !e.done, nil
}

// subtrees runs the classes of some subtrees, at most a number of each. It reports whether these were all.
func (e *exploration) subtrees(parts []search.Subtree, most int) (all bool, err error) {
	all = true
	err = e.run(len(parts), 1, func(number int) Job { return Job{Part: &parts[number], Most: most} }, func(_ int, r Result) bool {
		for i := range r.outcomes {
			if !r.outcomes[i].partial {
				e.report.Classes++
			}
			e.add("classes", r.outcomes[i])
		}
		all = all && r.finished
		return true
	})
	e.Progress(e.report)
	return all, err
}

// classes runs the classes of a subtree, at most a number of them.
func (b *bench) classes(l *harness.Harness, plan harness.Plan, part search.Subtree, most int) (outcomes []outcome, finished bool) {
	c := search.Classes{
		After: func(at search.Tree) {
			r := at.(*harness.Run)
			found := b.afterMessage(r)
			r.Moves() // whether it is at rest is known then
			if found = append(found, b.atRest(r)...); len(found) > 0 {
				outcomes = append(outcomes, outcome{steps: r.Steps(), plan: plan, violations: found, partial: true})
			}
		},
		Visit: func(at search.Tree) bool {
			o := outcome{plan: plan}
			b.judge(at.(*harness.Run), &o)
			outcomes = append(outcomes, o)
			return len(outcomes) < most
		},
		Steps: most * stepsPerRun,
	}
	return outcomes, c.Explore(l.Begin(plan), part).Finished
}

// classesOfFaults runs all classes under each single fault, if there are not too many. It reports whether all were run.
func (e *exploration) classesOfFaults() (all bool, err error) {
	sites := slices.Clone(e.sites.list)
	most := 2*e.report.Classes + chunk // a run with a fault may have more messages
	if len(sites)*e.report.Classes > e.left()/2 {
		return false, nil
	}
	all = true
	for plans := range slices.Chunk(sites, chunk) {
		err := e.run(len(plans), 1, func(number int) Job {
			return Job{Plan: harness.Plan{plans[number]}, Part: new(search.Subtree), Most: most}
		}, func(_ int, r Result) bool {
			for i := range r.outcomes {
				e.add("classes with a fault", r.outcomes[i])
			}
			all = all && r.finished
			return true
		})
		if e.Progress(e.report); err != nil || e.over() {
			return false, err
		}
	}
	return all, nil
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
	return e.each("exchange", min(len(all), e.left()/4), func(number int) Job { return Job{Follow: all[number : number+1]} }, nil)
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
	return e.each("two faults", len(plans), func(number int) Job { return Job{Plan: plans[number]} }, nil)
}

// draw spends what is left of the budget on orders that the strategy draws. Half of the runs have faults, all of them
// where the orders without faults are exhausted.
func (e *exploration) draw(faulty bool) error {
	sites := slices.Clone(e.sites.list)
	return e.generations(e.left(), func(chance *rand.Rand) (plan harness.Plan) {
		if e.Faults > 0 && len(sites) > 0 && (faulty || chance.IntN(2) == 0) {
			for range 1 + chance.IntN(e.Faults) {
				plan = append(plan, sites[chance.IntN(len(sites))])
			}
		}
		return plan
	})
}

// generations draws runs. What the guide learns from a generation counts in the next, so that it does not depend on the
// workers. The first ones are small. Without a guide there is one: the more runs are drawn at a time, the more messages
// they share.
func (e *exploration) generations(count int, draw func(*rand.Rand) harness.Plan) error {
	var g *guide
	size, learn := count, (func(*outcome))(nil)
	if e.strategy().Guided {
		g = newGuide(e.worker.bench.fifo)
		size, learn = firstGeneration, g.learn
	}
	for first := 0; first < count && !e.over(); first, size = first+size, 2*size {
		known := g.known()
		if err := e.each(e.strategy().Name, min(size, count-first), func(number int) Job {
			source := rand.NewPCG(e.Seed, uint64(first+number))
			chance := rand.New(source)
			j := Job{Plan: draw(chance), Chance: source}
			known.lead(&j, chance)
			return j
		}, learn); err != nil {
			return err
		}
	}
	return nil
}
