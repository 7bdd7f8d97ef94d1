package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/property"
	"github.com/canisterd/canisterd/explore/search"
)

// exploration is one exploration on its way. Only its own goroutine writes it: workers return outcomes, which are
// added in the order of their numbers.
type exploration struct {
	*Config
	bench   *bench
	harness *harness.Harness
	workers *workers
	report  *Report
	sites   siteSet
	done    bool // the budget is spent, the time is over, or enough was found
}

// Run explores. The error says which operation the network did not accept.
func Run(config *Config) (*Report, error) {
	full := config.withDefaults()
	if len(full.Setup.Operations) == 0 {
		return nil, fmt.Errorf("no operations: an exploration needs at least one message to deliver")
	}
	all := make([]int, len(full.Setup.Operations))
	for i := range all {
		all[i] = i
	}
	b, l, err := newBench(&full, all)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	e := &exploration{Config: &full, bench: b, harness: l, workers: newWorkers(l, full.Workers), report: newReport(&full)}
	defer e.workers.close()
	e.phases()
	e.report.finish()
	e.report.FaultKinds = e.sites.kinds()
	if err := e.shorten(); err != nil {
		return nil, err
	}
	return e.report, nil
}

func (e *exploration) phases() {
	e.add("fifo", e.bench.run(e.harness, nil, search.FIFO))
	e.sites.add(e.Config.sites(e.bench.fifo))
	if e.Only != nil {
		e.draw(*e.Only, false)
		return
	}
	if e.Faults > 0 {
		e.eachFault()
	}
	orders := e.orders()
	if orders > float64(e.left()/sampled) {
		e.sample(e.left() / sampled)
	}
	exhausted := e.allClasses(orders)
	e.report.Exhausted = exhausted
	if !exhausted {
		e.exchanges()
	}
	if exhausted && e.Faults > 0 {
		e.report.ExhaustedFaults = e.classesOfFaults()
	}
	if e.Faults > 1 {
		e.pairs()
	}
	if exhausted && (e.Faults == 0 || e.Faults == 1 && e.report.ExhaustedFaults) {
		return
	}
	e.draw(search.Mixed(), exhausted)
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

// each runs jobs in chunks and adds their outcomes in the order of their numbers.
func (e *exploration) each(phase string, count int, job func(l *harness.Harness, number int) outcome, then func(*outcome)) {
	for from := 0; from < count && !e.over(); from += chunk {
		outcomes := make([]outcome, min(chunk, count-from))
		e.workers.each(len(outcomes), func(l *harness.Harness, number int) { outcomes[number] = job(l, from+number) })
		for i := range outcomes {
			e.add(phase, outcomes[i])
			if then != nil {
				then(&outcomes[i])
			}
		}
		e.Progress(e.report)
	}
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
func (e *exploration) eachFault() {
	first := slices.Clone(e.sites.list)
	e.each("fault", len(first), func(l *harness.Harness, number int) outcome {
		return e.bench.run(l, harness.Plan{first[number]}, search.FIFO)
	}, func(o *outcome) { e.sites.add(e.Config.sites(o.steps)) })
}

// orders is an estimate of the number of classes without faults.
func (e *exploration) orders() float64 {
	root := e.harness.Begin(nil)
	defer root.Close()
	estimate, _ := (&search.Classes{Steps: maxMessages}).Estimate(root, probes, rand.New(rand.NewPCG(e.Seed, uint64(e.report.Runs))))
	return estimate
}

// sample draws orders without faults where there are many: what some of them show need not wait until all were run.
func (e *exploration) sample(count int) {
	s := search.Mixed()
	e.each("sample", count, func(l *harness.Harness, number int) outcome {
		return e.bench.run(l, nil, s.Begin(rand.New(rand.NewPCG(e.Seed, uint64(number))), &e.bench.profile))
	}, nil)
}

// allClasses runs each class of orders without faults, if there are not too many. It reports whether all were run.
func (e *exploration) allClasses(orders float64) bool {
	budget := e.left() / 2
	if e.over() || orders > float64(budget) {
		return false
	}
	parts := (&search.Classes{Steps: maxMessages}).Split(e.harness.Begin(nil), subtrees)
	for len(parts) > 0 && !e.over() && e.report.Classes < budget {
		// One subtree may have many more classes than another.
		most := max(chunk, uneven*(budget-e.report.Classes)/len(parts))
		some := parts[:min(len(parts), together)]
		if !e.subtrees(some, most) {
			return false
		}
		parts = parts[len(some):]
	}
	return len(parts) == 0 && !e.done
}

// subtrees runs the classes of some subtrees, at most a number of each. It reports whether these were all.
func (e *exploration) subtrees(parts []search.Subtree, most int) bool {
	outcomes, finished := make([][]outcome, len(parts)), make([]bool, len(parts))
	e.workers.each(len(parts), func(l *harness.Harness, number int) {
		outcomes[number], finished[number] = e.bench.classes(l, nil, parts[number], most)
	})
	for _, part := range outcomes {
		for i := range part {
			if !part[i].partial {
				e.report.Classes++
			}
			e.add("classes", part[i])
		}
	}
	e.Progress(e.report)
	return !slices.Contains(finished, false)
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
func (e *exploration) classesOfFaults() bool {
	sites := slices.Clone(e.sites.list)
	most := 2*e.report.Classes + chunk // a run with a fault may have more messages
	if len(sites)*e.report.Classes > e.left()/2 {
		return false
	}
	all := true
	for plans := range slices.Chunk(sites, chunk) {
		outcomes, finished := make([][]outcome, len(plans)), make([]bool, len(plans))
		e.workers.each(len(plans), func(l *harness.Harness, number int) {
			outcomes[number], finished[number] = e.bench.classes(l, harness.Plan{plans[number]}, search.Subtree{}, most)
		})
		for _, run := range slices.Concat(outcomes...) {
			e.add("classes with a fault", run)
		}
		e.Progress(e.report)
		if all = all && !slices.Contains(finished, false); e.over() {
			return false
		}
	}
	return all
}

// exchanges runs the operations in FIFO order, but with one later message of a canister before an earlier one.
func (e *exploration) exchanges() {
	var all []search.Before
	for later := range e.bench.fifo {
		for earlier := range later {
			a, b := &e.bench.fifo[earlier], &e.bench.fifo[later]
			if a.Canister == b.Canister && a.Context != b.Context {
				all = append(all, search.Before{First: b.Move, Later: a.Move})
			}
		}
	}
	e.each("exchange", min(len(all), e.left()/4), func(l *harness.Harness, number int) outcome {
		return e.bench.run(l, nil, search.Follow(all[number:number+1]))
	}, nil)
}

// pairs runs the operations in FIFO order, once for each two faults of different messages.
func (e *exploration) pairs() {
	var plans []harness.Plan
	most := e.left() / 4
	for i, a := range e.sites.list {
		for _, b := range e.sites.list[i+1:] {
			if a.At != b.At && len(plans) < most {
				plans = append(plans, harness.Plan{a, b})
			}
		}
	}
	e.each("two faults", len(plans), func(l *harness.Harness, number int) outcome {
		return e.bench.run(l, plans[number], search.FIFO)
	}, nil)
}

// draw spends what is left of the budget on orders that a strategy draws. Half of the runs have faults, all of them
// where the orders without faults are exhausted.
func (e *exploration) draw(s search.Strategy, faulty bool) {
	sites := slices.Clone(e.sites.list)
	e.each(s.Name, e.left(), func(l *harness.Harness, number int) outcome {
		chance := rand.New(rand.NewPCG(e.Seed, uint64(number)))
		var plan harness.Plan
		if e.Faults > 0 && len(sites) > 0 && (faulty || chance.IntN(2) == 0) {
			for range 1 + chance.IntN(e.Faults) {
				plan = append(plan, sites[chance.IntN(len(sites))])
			}
		}
		return e.bench.run(l, plan, s.Begin(chance, &e.bench.profile))
	}, nil)
}

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
	return &Replayed{Violations: o.violations, Steps: o.steps, Unmet: follow.Unmet(), Unapplied: o.unapplied}, nil
}

// Replayed is what a replay showed.
type Replayed struct {
	Violations []property.Violation
	Steps      []harness.Step
	Unmet      []search.Before // deviations whose messages did not come in this order
	Unapplied  []harness.Fault // faults whose messages did not come
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
