package state

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
)

// Debits are the amounts by which a canister has exceeded its limits for a round: bytes of memory that it changed,
// instructions of its installations. Each round reduces them by the limit of a round.
type Debits struct {
	HeapDelta, Install uint64
	height, time       uint64 // when they were last reduced
}

// Owed returns a canister's present debits. The caller may add to Install.
func (s *State) Owed(r *Entry, limits *canister.Limits) *Debits {
	d := &r.debits
	if d.HeapDelta > 0 || d.Install > 0 {
		rounds := max(s.Height-d.height, (s.Time-d.time)/RoundTime)
		d.HeapDelta = left(d.HeapDelta, limits.HeapDelta, rounds)
		d.Install = left(d.Install, limits.InstallRate, rounds)
	}
	d.height, d.time = s.Height, s.Time
	return d
}

func left(debit, rate, rounds uint64) uint64 {
	if rate == 0 || rounds > debit/rate {
		return 0
	}
	return debit - rate*rounds
}

// Change counts memory that a canister has changed. A canister that has changed too much takes no message until the
// rounds have reduced its debit; the management canister still acts on it.
func (s *State) Change(r *Entry, bytes uint64, limits *canister.Limits) {
	if limits.HeapDelta == 0 || r.Gone || bytes == 0 && r.debits.HeapDelta == 0 {
		return
	}
	owed := s.Owed(r, limits)
	owed.HeapDelta += bytes
	if owed.HeapDelta < limits.HeapDelta {
		return
	}
	r.Mailbox.Blocked = true
	if !slices.Contains(s.throttled, r) {
		s.throttled = append(s.throttled, r)
	}
}

// Unthrottle resumes the canisters that have waited long enough.
func (s *State) Unthrottle(limits *canister.Limits) {
	s.throttled = slices.DeleteFunc(s.throttled, func(r *Entry) bool {
		switch {
		case r.Gone:
			return true
		case s.Owed(r, limits).HeapDelta >= limits.HeapDelta:
			return false
		case !r.Running:
			r.Mailbox.Blocked = false
			s.Ready.Add(&r.Mailbox)
		}
		return true
	})
}

// ThrottledWait reports whether a throttled canister has messages, so that rounds must go on.
func (s *State) ThrottledWait() bool {
	return slices.ContainsFunc(s.throttled, func(r *Entry) bool { return r.Mailbox.Len() > 0 })
}
