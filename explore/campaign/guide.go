package campaign

import (
	"math/rand/v2"

	"github.com/canisterd/canisterd/explore/harness"
)

// guide remembers which runs showed something new, so that others begin like them. New is a link between two messages of a
// canister that no run had before. Runs are shown to it in the order of their numbers.
type guide struct {
	kinds     kinds
	canisters []latest // by kind.canister; of the run that is shown
	seen      map[link]bool
	kept      keptRuns
}

// keptRuns are runs in the order of their numbers. Only new ones are added, so that a goroutine may read those of an earlier
// time.
type keptRuns []keptRun

// keptRun is a run that showed something new.
type keptRun struct {
	plan  harness.Plan
	names []string // of its messages
}

// latest are the newest messages of a canister.
type latest struct{ last, wrote shown }

// shown is a message; its step is nil for none.
type shown struct {
	step *harness.Step
	kind int32
}

// link is two kinds of messages of a canister: the second comes next, or it reads what the first has written.
type link struct {
	first, second int32
	same          bool // they belong to the same operation
	reads         bool
}

func newGuide(fifo []*harness.Step) *guide {
	g := &guide{kinds: newKinds(), seen: make(map[link]bool)}
	g.learn(&outcome{steps: fifo})
	return g
}

// learn keeps a run that has a new link.
func (g *guide) learn(o *outcome) {
	if len(g.kept) >= maxKept {
		return
	}
	before := len(g.seen)
	clear(g.canisters)
	for _, s := range o.steps {
		k := g.kinds.of(s)
		if int(k.canister) == len(g.canisters) {
			g.canisters = append(g.canisters, latest{})
		}
		at, now := &g.canisters[k.canister], shown{s, k.number}
		g.see(at.last, now, false)
		g.see(at.wrote, now, true)
		at.last = now
		if s.Dirty > 0 {
			at.wrote = now
		}
	}
	if len(g.seen) > before {
		g.kept = append(g.kept, keptRun{o.plan, names(o.steps)})
	}
}

func (g *guide) see(first, second shown, reads bool) {
	if first.step == nil {
		return
	}
	same := harness.OperationOf(first.step.Move) == harness.OperationOf(second.step.Move)
	g.seen[link{first.kind, second.kind, same, reads}] = true
}

// lead makes a part of the jobs begin like one of the runs, rather a new one. Most of them have its faults, too.
func (all keptRuns) lead(j *Job, chance *rand.Rand) {
	if len(all) == 0 || chance.IntN(guided) > 0 {
		return
	}
	k := &all[len(all)-1-min(chance.IntN(len(all)), chance.IntN(len(all)))]
	j.Begin = k.names[:chance.IntN(len(k.names)+1)]
	if chance.IntN(guided) > 0 {
		j.Plan = k.plan
	}
}
