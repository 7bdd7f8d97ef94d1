package campaign

import (
	"math/rand/v2"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// guide keeps the runs that showed something new, so that other runs can begin like them. New is a link between two
// messages of a canister that no earlier run had, and a block of code that none ran. Runs must be learned in the order of
// their numbers.
type guide struct {
	kinds     kinds
	canisters []latest // of the present run, by kind.canister
	seen      map[link]bool
	blocks    blockSet
	kept      keptRuns
	fifo      int // how many of the kept runs are in FIFO order: the first one, or none
}

// keptRuns are runs in the order of their numbers. Runs are only appended, so that goroutines can read earlier slices.
type keptRuns []keptRun

// keptRun is a run that showed something new.
type keptRun struct {
	plan  harness.Plan
	names []string // of its messages
}

// latest are the last message of a canister and the last one that changed its memory.
type latest struct{ last, wrote executedStep }

// executedStep is a message and its kind; the step is nil if there is none.
type executedStep struct {
	step *harness.Step
	kind int32
}

// link is a pair of kinds of messages that a canister executed: the second directly after the first, or (reads) after
// the first wrote and no message in between did.
type link struct {
	first, second int32
	same          bool // they belong to the same operation
	reads         bool
}

func newGuide(fifo []*harness.Step) *guide {
	g := &guide{kinds: newKinds(), seen: make(map[link]bool)}
	g.learn(&outcome{steps: fifo})
	g.fifo = len(g.kept)
	return g
}

// learn keeps a run if it has a new link or a new block, and reports whether it does.
func (g *guide) learn(o *outcome) (kept bool) {
	if len(g.kept) >= maxKept || !g.see(o) {
		return false
	}
	g.kept = append(g.kept, keptRun{o.plan, names(o.steps)})
	return true
}

// see reports whether a run has a new link or a new block.
func (g *guide) see(o *outcome) bool {
	before := len(g.seen)
	clear(g.canisters)
	for _, s := range o.steps {
		k := g.kinds.of(s)
		if int(k.canister) == len(g.canisters) {
			g.canisters = append(g.canisters, latest{})
		}
		at, now := &g.canisters[k.canister], executedStep{s, k.number}
		g.seeLink(at.last, now, false)
		g.seeLink(at.wrote, now, true)
		at.last = now
		if s.Dirty > 0 {
			at.wrote = now
		}
	}
	return g.blocks.addAll(o.steps) || len(g.seen) > before
}

func (g *guide) seeLink(first, second executedStep, reads bool) {
	if first.step == nil {
		return
	}
	same := harness.OperationOf(first.step.Move) == harness.OperationOf(second.step.Move)
	g.seen[link{first.kind, second.kind, same, reads}] = true
}

// lead makes a share of the jobs begin like one of the runs, preferably a recent one. Most of these have its faults,
// too.
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
