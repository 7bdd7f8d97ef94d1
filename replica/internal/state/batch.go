package state

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The messages of a batch run in parallel: none sees effects of other messages of its batch, neither in the memory that
// messages and canisters take nor in the balance of its canister. Single steps run them one at a time, and they must
// see the same.

// Shared is the state that the messages of a batch share.
type Shared struct {
	Guaranteed uint64   // bytes of messages with guaranteed response at its start
	Futures    int      // at its start
	Promised   uint64   // bytes of guaranteed messages since
	Credited   []*Entry // that received cycles since, as a credit
}

// BeginBatch makes what happened so far visible to the next messages.
func (s *State) BeginBatch() {
	s.ApplyDeferredCredits()
	s.Batch++
	s.Shared.Guaranteed, s.Shared.Futures, s.Shared.Promised = s.Messages.Guaranteed, s.Calls.Futures(), 0
}

// DeferCredit gives a canister cycles that its messages see from the next batch on.
func (s *State) DeferCredit(r *Entry, amount cycles.Amount) {
	r.DeferredCredit = r.DeferredCredit.Add(amount)
	s.Shared.Credited = append(s.Shared.Credited, r)
}

// ApplyDeferredCredits adds the credits that were deferred during a batch to the balances.
func (s *State) ApplyDeferredCredits() {
	for _, r := range s.Shared.Credited {
		if !r.Running {
			r.ApplyDeferred()
		}
	}
	clear(s.Shared.Credited)
	s.Shared.Credited = s.Shared.Credited[:0]
}

// Isolate hides the effects of other messages of the batch on the memory of a canister's messages, until its own
// message has run or is parked.
func (s *State) Isolate(r *Entry) {
	r.Isolated = s.MessagesSince(r)
	r.Canister.MessageBytes -= r.Isolated
}

// EndIsolation restores what Isolate has hidden.
func (r *Entry) EndIsolation() {
	r.Canister.MessageBytes += r.Isolated
	r.Isolated = 0
}

// archiveBatch writes what messages see of the subnet until the next batch.
func (s *State) archiveBatch(c *archive.Coder) {
	environment := *s.Environment
	archive.Number(c, &environment.MemoryUsed)
	archive.Number(c, &environment.Time)
	environment.Limits = s.Limits
	if c.Reading() {
		s.Environment = &environment
	}
	shared := &s.Shared
	archive.Number(c, &shared.Guaranteed)
	archive.Number(c, &shared.Futures)
	archive.Number(c, &shared.Promised)
	credited := slices.DeleteFunc(slices.Clone(shared.Credited), func(r *Entry) bool { return r.Gone })
	archive.Slice(c, &credited, archive.MaxItems, func(r **Entry) { s.ArchiveEntry(c, r) })
	if c.Reading() && !c.Failed() {
		shared.Credited = credited
		c.Check(!slices.Contains(credited, nil), "a deferred credit is for a canister that does not exist")
	}
}
