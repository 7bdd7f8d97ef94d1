package driver

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// DeliveredAnswers are the large answers that clients have and that are kept.
func (d *Driver) DeliveredAnswers() (all []replica.RequestID) {
	d.owner.Lock()
	defer d.owner.Unlock()
	for _, a := range d.delivered.answers {
		all = append(all, a.id)
	}
	return all
}

// Waiters is how many wait for an answer.
func (d *Driver) Waiters() (waiting int) {
	d.ask(context.Background(), func(d *Driver) {
		for _, list := range d.waiters {
			for ; list != nil; list = list.next {
				waiting++
			}
		}
	})
	return waiting
}

// Turns is how many requests the owner has handled, and how many of them went through the inbox.
func (d *Driver) Turns() (turns, handOvers uint64) {
	d.owner.Lock()
	defer d.owner.Unlock()
	return d.turns, d.handOvers
}

// Turn is an event of a query: the end of a slice, or a slot for which it has waited.
type Turn struct {
	Query            any // which it is
	Canister, Sender any
	Granted          bool   // a slot
	Waited           uint64 // how often other queries began to wait while it waited for the slot
	Gone             bool   // its client was gone, or its driver closed
}

// WatchTurns calls a function for each turn of a query, one at a time. It is called before the first query.
func (d *Driver) WatchTurns(see func(Turn)) {
	turn := func(q *querySlot) Turn {
		return Turn{Query: q, Canister: q.path[canisterQueries-1], Sender: q.path[senderQueries-1], Gone: q.ctx.Err() != nil || d.open.Err() != nil}
	}
	s := d.slots
	s.paused = func(q *querySlot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		see(turn(q))
	}
	s.granted = func(q *querySlot) {
		t := turn(q)
		t.Granted, t.Waited = true, s.last-q.number
		see(t)
	}
}

// Ring is what the recorder keeps: events, bytes by its own count, and room for events.
func (d *Driver) Ring() (events, bytes, room int) {
	r := &d.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.chunks {
		room += cap(c.events)
	}
	return r.events, r.bytes, room
}
