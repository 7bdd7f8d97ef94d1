package state

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// Fork is the fork of a state, with a map from entries of the source to entries of the fork.
type Fork struct {
	*State
	source *State
	gone   map[*Entry]*Entry // of deleted canisters that something still refers to
}

// Fork makes a second state at the same point: from then on the two are independent. Canisters with parked messages are
// as before these messages; the owner of the messages restarts them.
func (s *State) Fork(to *State) *Fork {
	f := &Fork{State: to, source: s}
	*to = *s
	to.Blocks.made, to.Blocks.days = slices.Clone(s.Blocks.made), slices.Clone(s.Blocks.days)
	to.Canisters = s.Canisters.fork()
	to.History = s.History.fork()
	to.Calls, to.Deadlines = s.Calls.Fork(), s.Deadlines.Fork()
	s.ManagementCalls.Fork(&to.ManagementCalls)
	to.Ready = s.Ready.Fork(f.mailbox)
	chance := *s.RandomBeacon
	to.RandomBeacon = &chance
	to.Compiled = maps.Clone(s.Compiled)
	to.Outcalls = maps.Clone(s.Outcalls)
	for number, pending := range to.Outcalls { // each independently: the order has no effect
		copied := *pending
		to.Outcalls[number] = &copied
	}
	to.Signing.Pending, to.Postponed = slices.Clone(s.Signing.Pending), slices.Clone(s.Postponed)
	to.Heartbeats, to.Touched, to.throttled = f.Entries(s.Heartbeats), f.Entries(s.Touched), f.Entries(s.throttled)
	to.Answered = slices.Clone(s.Answered)
	to.Held = s.Held.Clone()
	environment := *s.Environment
	to.Environment = &environment
	to.Shared.Credited = f.Entries(s.Shared.Credited)
	f.forkStreams(s)
	f.forkParked(s)
	to.Preparing, to.Prepared = slices.Clone(s.Preparing), maps.Clone(s.Prepared)
	return f
}

// Entry returns the fork's entry of a canister of the source; nil for nil.
func (f *Fork) Entry(r *Entry) *Entry {
	switch {
	case r == nil:
		return nil
	case !r.Gone:
		return f.Canisters.Get(r.ID())
	}
	copied := f.gone[r]
	if copied == nil {
		copied = new(Entry)
		r.fork(copied, r.Canister.Fork())
		if f.gone == nil {
			f.gone = make(map[*Entry]*Entry)
		}
		f.gone[r] = copied
	}
	return copied
}

// Entries returns the fork's entries of some canisters of the source.
func (f *Fork) Entries(list []*Entry) []*Entry {
	if len(list) == 0 {
		return nil
	}
	all := make([]*Entry, len(list))
	for i, r := range list {
		all[i] = f.Entry(r)
	}
	return all
}

func (f *Fork) mailbox(m *intercanister.Mailbox) *intercanister.Mailbox {
	if m == &f.source.ManagementCalls {
		return &f.ManagementCalls
	}
	return &f.Canisters.Get(m.Owner).Mailbox
}

// fork makes `to` an entry with the same mailbox and with c, a fork of the canister.
func (r *Entry) fork(to *Entry, c *canister.Canister) {
	*to = *r
	to.Canister = c
	r.Mailbox.Fork(&to.Mailbox)
	to.Stops, to.Waiting = slices.Clone(r.Stops), slices.Clone(r.Waiting)
}

// fork shares all records until one of the two writes them.
func (h *History) fork() History {
	h.generation++
	to := *h
	to.records = 0
	to.known, to.slots, to.free, to.order = h.known.fork(), h.slots.Fork(), h.free.Fork(), h.order.Fork()
	return to
}

// Reseed changes the future values of the random beacon.
func (c *RandomBeacon) Reseed(seed [32]byte) { c.key = NewRandomBeacon(seed, string(c.key[:])).key }
