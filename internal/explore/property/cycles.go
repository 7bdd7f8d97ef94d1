package property

import (
	"fmt"
	"math/big"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// LostCycles finds canisters that give away more cycles than after any serial order of all or some of the operations: a
// payment is made twice or never returned, say. Cycles are never lost in transit: those that a callee does not accept
// are refunded. Fees do not count. With a fault it is a suspicion: the canister may mean to have paid when a later call
// fails.
type LostCycles struct {
	atRest
	least map[principal.Principal]*big.Int // gains below zero
}

// Name returns "lost-cycles".
func (*LostCycles) Name() string { return "lost-cycles" }

// Learn records what canisters give away in a serial run.
func (p *LostCycles) Learn(r *harness.Run, serial bool) {
	if serial {
		p.LearnBetween(r)
	}
}

// LearnBetween records what canisters give away for some of the operations: in another order, an operation may be
// refused because another is in progress.
func (p *LostCycles) LearnBetween(r *harness.Run) {
	if p.least == nil {
		p.least = make(map[principal.Principal]*big.Int)
	}
	for id := range participants(r) { // the order makes no difference
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

// participants returns the canisters that take part in a run.
func participants(r *harness.Run) map[principal.Principal]bool {
	all := make(map[principal.Principal]bool)
	for _, s := range r.Steps() {
		all[s.Canister] = true
	}
	return all
}

// AtRest compares what canisters gave away, if no cycles are in transit.
func (p *LostCycles) AtRest(r *harness.Run) (found []Violation) {
	seen := make(map[principal.Principal]bool)
	for _, s := range r.Steps() {
		id := s.Canister
		if seen[id] {
			continue
		}
		seen[id] = true
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

// grouped returns a number of cycles without its sign, with grouped digits.
func grouped(n *big.Int) string {
	amount, _ := cycles.FromBig(new(big.Int).Abs(n)) // what a canister gave is no more than it had
	return amount.Grouped()
}
