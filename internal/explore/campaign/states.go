package campaign

import (
	"math/rand/v2"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// stateGuide keeps the calls of cases that showed something new, so that later cases begin in the state to which these calls
// lead. Cases must be learned in the order of their numbers.
type stateGuide struct {
	guide *guide
	kept  [][]CaseCall
}

func newStateGuide() stateGuide { return stateGuide{guide: newGuide(nil)} }

// learn returns the runs of a case that show something new: the first one also if a call before the runs does.
func (g *stateGuide) learn(r *Result) (shown []*outcome) {
	before := g.guide.blocks.addAll([]*harness.Step{{Blocks: r.ran}})
	for i := range r.outcomes {
		if o := &r.outcomes[i]; g.guide.see(o) || before && i == 0 {
			shown = append(shown, o)
		}
	}
	return shown
}

// keep keeps the calls of a case, unless they are too many.
func (g *stateGuide) keep(calls []CaseCall) {
	if len(calls) > 0 && len(calls) <= maxStateCalls && len(g.kept) < maxKept {
		g.kept = append(g.kept, calls)
	}
}

// drawState returns the calls with which a case begins: for a share of the cases the first ones of a case that was kept,
// preferably a recent one; none for the others.
func drawState(kept [][]CaseCall, chance *rand.Rand) []CaseCall {
	if len(kept) == 0 || chance.IntN(guided) > 0 {
		return nil
	}
	calls := kept[len(kept)-1-min(chance.IntN(len(kept)), chance.IntN(len(kept)))]
	return calls[:1+chance.IntN(len(calls))]
}
