package replica

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// The messages of a wave run in parallel: none sees what the others of its wave have
// done, neither in the memory that messages and canisters take nor in the balance of
// its canister.
// One after the other, as Step makes them, they must see the same.

// wave is what the messages of a wave share.
type wave struct {
	guaranteed uint64            // bytes of messages with guaranteed response when it began
	futures    int               // when it began
	promised   uint64            // bytes of guaranteed messages since
	credited   []*state.Resident // that got cycles since, and have them as a credit
}

// beginWave lets the messages from now on see what happened before.
func (m *subnet) beginWave() {
	m.settleCredits()
	m.Wave++
	m.sub.MemoryUsed = m.memory + m.config.Occupied
	m.since.guaranteed, m.since.futures, m.since.promised = m.Messages.Guaranteed, m.Ledger.Futures(), 0
}

// credit gives a canister cycles that its messages see from the next wave on.
func (m *subnet) credit(r *state.Resident, amount cycles.Amount) {
	r.Credit = r.Credit.Add(amount)
	m.since.credited = append(m.since.credited, r)
}

// settleCredits adds to balances what came while the messages of a wave ran.
func (m *subnet) settleCredits() {
	for _, r := range m.since.credited {
		if !r.Running {
			r.Settle()
		}
	}
	clear(m.since.credited)
	m.since.credited = m.since.credited[:0]
}

// hide takes out of sight what others of the wave have done to the memory of a
// canister's messages, until its own message has run or is parked.
func (m *subnet) hide(r *state.Resident) {
	r.Hidden = m.MessagesSince(r)
	r.Canister.MessageBytes -= r.Hidden
}

func reveal(r *state.Resident) {
	r.Canister.MessageBytes += r.Hidden
	r.Hidden = 0
}
