package property

import (
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// LostCycles finds canisters that give away more cycles than after any serial order of the operations, or of some of them:
// a payment that is made twice, or that nothing gives back. Cycles themselves are never lost on their way: what a callee
// does not accept is refunded. Fees do not count. With a fault it is a suspicion: what a canister has given when a later
// call fails may be what it promises.
type LostCycles struct {
	atRest
	least map[principal.Principal]*big.Int // gains below zero
}

// Name is "lost-cycles".
func (*LostCycles) Name() string { return "lost-cycles" }

// Learn remembers what canisters give away in a serial run.
func (p *LostCycles) Learn(r *harness.Run, serial bool) {
	if serial {
		p.LearnBetween(r)
	}
}

// LearnBetween remembers what canisters give away for some of the operations: in another order, an operation may be
// refused because another one is under way.
func (p *LostCycles) LearnBetween(r *harness.Run) {
	if p.least == nil {
		p.least = make(map[principal.Principal]*big.Int)
	}
	for id := range taking(r) { // each by itself
		if gain := r.Gain(id); gain != nil && p.below(id, gain) {
			p.least[id] = gain
		}
	}
}

// below reports whether a gain is below those of all serial runs. Before the first operation it is zero.
func (p *LostCycles) below(id principal.Principal, gain *big.Int) bool {
	least, known := p.least[id]
	return gain.Sign() < 0 && (!known || gain.Cmp(least) < 0)
}

// taking are the canisters that take part in a run.
func taking(r *harness.Run) map[principal.Principal]bool {
	all := make(map[principal.Principal]bool)
	for _, s := range r.Steps() {
		all[s.Canister] = true
	}
	return all
}

// AtRest compares what canisters gave away, where no cycles are on their way.
func (p *LostCycles) AtRest(r *harness.Run) (found []Violation) {
	told := make(map[principal.Principal]bool)
	for _, s := range r.Steps() {
		id := s.Canister
		if told[id] {
			continue
		}
		told[id] = true
		gain := r.Gain(id)
		if gain == nil || !p.below(id, gain) || !r.Settled() {
			continue
		}
		serial := "none"
		if least := p.least[id]; least != nil {
			serial = grouped(least)
		}
		found = append(found, Violation{
			Property: p.Name(), Canister: id, Suspicion: len(r.Plan()) > 0,
			Text: fmt.Sprintf("%s gives away %s cycles, and after serial orders of the operations at most %s", r.Setup().NameOf(id), grouped(gain), serial),
		})
	}
	return found
}

// grouped is a number of cycles without its sign.
func grouped(n *big.Int) string {
	amount, _ := cycles.FromBig(new(big.Int).Abs(n)) // what a canister gave is no more than it had
	return amount.Grouped()
}
