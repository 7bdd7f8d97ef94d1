package campaign

import (
	"math/rand/v2"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/replica/sched"
)

// guide remembers which runs showed something new, so that others begin like them. New is a link between two messages of a
// canister that no run had before. Runs are shown to it in the order of their numbers.
type guide struct {
	seen map[link]bool
	kept keptRuns
}

// keptRuns are runs in the order of their numbers. Only new ones are added, so that a goroutine may read those of an earlier
// time.
type keptRuns []keptRun

// keptRun is a run that showed something new.
type keptRun struct {
	plan  harness.Plan
	names []string // of its messages
}

// kindOfMessage is what messages have in common that do the same.
type kindOfMessage struct {
	canister         principal.Principal
	method           string
	kind             sched.Kind
	fault            harness.FaultKind
	rejected, failed bool
}

// link is two messages of a canister: the second comes next, or it reads what the first has written.
type link struct {
	first, second kindOfMessage
	same          bool // they belong to the same operation
	reads         bool
}

func newGuide(fifo []harness.Step) *guide {
	g := &guide{seen: make(map[link]bool)}
	g.learn(&outcome{steps: fifo})
	return g
}

func kindOf(s *harness.Step) kindOfMessage {
	return kindOfMessage{s.Canister, s.Method, s.Kind, s.Fault, s.Rejected != nil, s.Failure != nil}
}

// known are the runs that are kept now; there is none without a guide.
func (g *guide) known() keptRuns {
	if g == nil {
		return nil
	}
	return g.kept
}

// learn keeps a run that has a new link.
func (g *guide) learn(o *outcome) {
	if len(g.kept) >= maxKept {
		return
	}
	before := len(g.seen)
	last, wrote := make(map[principal.Principal]*harness.Step), make(map[principal.Principal]*harness.Step)
	for i := range o.steps {
		s := &o.steps[i]
		g.see(last[s.Canister], s, false)
		g.see(wrote[s.Canister], s, true)
		last[s.Canister] = s
		if s.Dirty > 0 {
			wrote[s.Canister] = s
		}
	}
	if len(g.seen) > before {
		g.kept = append(g.kept, keptRun{o.plan, names(o.steps)})
	}
}

func (g *guide) see(first, second *harness.Step, reads bool) {
	if first == nil {
		return
	}
	same := harness.OperationOf(first.Move) == harness.OperationOf(second.Move)
	g.seen[link{kindOf(first), kindOf(second), same, reads}] = true
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
