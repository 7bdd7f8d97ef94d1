package replica

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// The messages of a batch run in parallel: none sees what the others of its batch have
// done, neither in the memory that messages and canisters take nor in the balance of
// its canister.
// One after the other, as Step makes them, they must see the same.

// batch is what the messages of a batch share.
type batch struct {
	guaranteed uint64         // bytes of messages with guaranteed response when it began
	futures    int            // when it began
	promised   uint64         // bytes of guaranteed messages since
	credited   []*state.Entry // that got cycles since, and have them as a credit
}

// beginBatch lets the messages from now on see what happened before.
func (m *subnet) beginBatch() {
	m.settleCredits()
	m.Batch++
	m.sub.MemoryUsed = m.memory + m.config.Occupied
	m.since.guaranteed, m.since.futures, m.since.promised = m.Messages.Guaranteed, m.Calls.Futures(), 0
}

// deferCredit gives a canister cycles that its messages see from the next batch on.
func (m *subnet) deferCredit(r *state.Entry, amount cycles.Amount) {
	r.DeferredCredit = r.DeferredCredit.Add(amount)
	m.since.credited = append(m.since.credited, r)
}

// settleCredits adds to balances what came while the messages of a batch ran.
func (m *subnet) settleCredits() {
	for _, r := range m.since.credited {
		if !r.Running {
			r.Settle()
		}
	}
	clear(m.since.credited)
	m.since.credited = m.since.credited[:0]
}

// isolate takes out of sight what others of the batch have done to the memory of a
// canister's messages, until its own message has run or is parked.
func (m *subnet) isolate(r *state.Entry) {
	r.Isolated = m.MessagesSince(r)
	r.Canister.MessageBytes -= r.Isolated
}

func endIsolation(r *state.Entry) {
	r.Canister.MessageBytes += r.Isolated
	r.Isolated = 0
}
