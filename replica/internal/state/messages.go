package state

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// MessageMemory is the memory of messages, in bytes: of calls with guaranteed response, including the reservations for
// responses, and of best-effort calls, which is their size.
type MessageMemory struct{ Guaranteed, BestEffort uint64 }

// of returns the memory of calls with a deadline; 0 is the deadline of calls with guaranteed response.
func (u *MessageMemory) of(deadline uint64) *uint64 {
	if deadline != 0 {
		return &u.BestEffort
	}
	return &u.Guaranteed
}

// ReserveMemory adds the bytes of a message of a call with this deadline to the memory of a
// canister and of its subnet.
func (s *State) ReserveMemory(r *Entry, deadline, bytes uint64) {
	s.remember(r)
	*s.Messages.of(deadline) += bytes
	*r.Messages.of(deadline) += bytes
	r.Canister.MessageBytes += bytes
}

// ReleaseMemory undoes ReserveMemory for this many bytes.
func (s *State) ReleaseMemory(r *Entry, deadline, bytes uint64) {
	own := r.Messages.of(deadline)
	if *own < bytes {
		panic("state: canister " + r.ID().String() + " frees memory of messages that it does not hold")
	}
	s.remember(r)
	*own -= bytes
	*s.Messages.of(deadline) -= bytes
	visible := min(bytes, r.Canister.MessageBytes)
	r.Canister.MessageBytes -= visible
	r.Isolated -= bytes - visible // the message came in this batch: single steps may deliver it before the batch ends
}

// remember keeps the message memory from before the batch, for MessagesSince.
func (s *State) remember(r *Entry) {
	if r.before.batch != s.Batch {
		r.before.batch, r.before.bytes = s.Batch, r.Canister.MessageBytes
	}
}

// MessagesSince returns by how much, modulo 2^64, the memory of a canister's messages has
// grown since the batch began.
func (s *State) MessagesSince(r *Entry) uint64 {
	if r.before.batch != s.Batch {
		return 0
	}
	return r.Canister.MessageBytes - r.before.bytes
}

// Expiry returns the time at which a best-effort call with this deadline expires, in nanoseconds. Deadlines are whole
// seconds, rounded down, and the second that they name belongs to the call.
func Expiry(deadline uint64) uint64 { return deadline + Second }

// Late reports whether a best-effort request has expired.
func (s *State) Late(q *intercanister.Request) bool {
	return q.Deadline != 0 && s.Time >= Expiry(q.Deadline)
}

// ReleaseRequest releases the memory of a request that left its queue. A request with
// guaranteed response keeps the reservation for the response.
func (s *State) ReleaseRequest(r *Entry, q *intercanister.Request) {
	bytes := q.Memory()
	if q.Deadline == 0 {
		bytes -= intercanister.ResponseReservation
	}
	s.ReleaseMemory(r, q.Deadline, bytes)
	s.Deadlines.Remove(q.Expiry)
}

// DeclineRequest releases the slot and the reservation of a request that left its queue and is
// rejected before it runs.
func (s *State) DeclineRequest(r *Entry, q *intercanister.Request) {
	r.Mailbox.FreeRequestSlot(q.Sender)
	if q.Deadline == 0 {
		s.ReleaseMemory(r, 0, intercanister.ResponseReservation)
	}
}

// Respond responds to a call context, and returns the cycles that are refunded with the response.
func (s *State) Respond(r *Entry, context *intercanister.Context) cycles.Amount {
	if context.Origin.Kind == intercanister.FromCanister && context.Origin.Deadline == 0 {
		s.ReleaseMemory(r, 0, intercanister.ResponseReservation)
	}
	return s.Calls.Respond(&r.Mailbox, context)
}
