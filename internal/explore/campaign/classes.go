package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
)

// enumeration runs all classes of orders without faults, divided into subtrees. Subtrees differ in size, so each
// subtree of a group may have several times its share of the budget. It is a share of the budget left two groups
// earlier, so that two groups can run at the same time.
type enumeration struct {
	*exploration
	parts  []search.Subtree
	budget int   // maximum number of classes
	most   []int // by group: maximum number of classes of each subtree; written before the group may begin
	all    bool  // all classes of the subtrees so far were run
}

// allClasses runs each class of orders without faults, if there are not too many, and reports whether all were run.
func (e *exploration) allClasses(estimate float64) (all bool, err error) {
	budget := min(e.left()/2, maxEnumerated)
	if e.over() || estimate > float64(budget) {
		return false, nil
	}
	parts := (&search.Classes{Steps: maxMessages, Ends: cut, Commute: e.worker.baseline.commute(nil)}).Split(e.worker.harness.Begin(nil), subtrees)
	n := &enumeration{exploration: e, parts: parts, budget: budget, most: make([]int, len(parts)/together+3), all: true}
	n.most[0] = n.share(0)
	n.most[1] = n.most[0]
	err = e.run(&Batch{
		Count: len(parts), Together: 1, Take: n.take,
		Job:   func(number int) Job { return Job{Part: &parts[number], Most: n.most[number/together]} },
		Ready: func(taken int) int { return min(len(parts), (taken/together+2)*together) },
	})
	return n.all && !e.done, err
}

// share returns how many classes each remaining subtree may have after some subtrees were taken.
func (n *enumeration) share(taken int) int {
	return max(chunk, uneven*(n.budget-n.report.Classes)/max(1, len(n.parts)-taken))
}

// take adds the classes of a subtree.
func (n *enumeration) take(number int, r Result) bool {
	for i := range r.outcomes {
		o := &r.outcomes[i]
		if !o.partial && !o.unfinished {
			n.report.Classes++
		}
		n.all = n.all && !o.unfinished
		if n.add("classes", *o); !o.partial && n.Faults > 0 {
			n.findFaults(o.steps, true)
		}
	}
	n.all = n.all && r.finished
	n.Progress(n.report)
	taken := number + 1
	if taken%together != 0 && taken < len(n.parts) {
		return true
	}
	n.most[number/together+2] = n.share(taken)
	n.all = n.all && !n.over() && (taken == len(n.parts) || n.report.Classes < n.budget)
	return n.all
}

func cut(at search.Tree) bool { return at.(*harness.Run).Cut() }

// classes runs at most a number of classes of a subtree. Finished reports whether these were all.
func (b *baseline) classes(l *harness.Harness, plan harness.Plan, part search.Subtree, most int) (outcomes []outcome, finished bool) {
	c := search.Classes{
		After: func(at search.Tree) {
			r := at.(*harness.Run)
			found := b.afterMessage(r)
			r.Moves() // sets Rested
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
		Ends:  cut,
		Steps: most * stepsPerRun, Depth: maxMessages, Commute: b.commute(plan),
	}
	return outcomes, c.Explore(l.Begin(plan), part).Finished
}

// classesOfFaults runs all classes under each single fault, if there are not too many, and reports whether all were
// run. The faults are those of messages of runs without faults: a message that only occurs under a fault cannot have
// the run's only fault itself.
func (e *exploration) classesOfFaults() (all bool, err error) {
	sites := slices.Clone(e.single.list)
	if len(sites)*e.report.Classes > e.left()/2 {
		return false, nil
	}
	most := max(2*e.report.Classes+chunk, e.left()/2/max(1, len(sites))) // a run with a fault may have more messages
	all = true
	b := &Batch{Count: len(sites), Together: 1, Job: func(number int) Job {
		return Job{Plan: harness.Plan{sites[number]}, Part: new(search.Subtree), Most: most}
	}}
	b.Take = func(number int, r Result) bool {
		for i := range r.outcomes {
			all = all && !r.outcomes[i].unfinished
			e.add("classes with a fault", r.outcomes[i])
		}
		all = all && r.finished
		return e.endJob(b, number)
	}
	err = e.run(b)
	return all && !e.done && !e.single.more, err
}
