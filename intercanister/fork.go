package intercanister

import (
	"maps"
	"slices"
)

// A fork has what its source has at that moment, in the same order and under the same
// ids; from then on neither notices the other. Payloads and rejects are never written
// and belong to both.

// Fork is a second queue with the same items.
func (q *FIFO[T]) Fork() FIFO[T] {
	if q.n == 0 {
		return FIFO[T]{}
	}
	return FIFO[T]{ring: slices.Clone(q.ring), first: q.first, n: q.n}
}

// Fork makes a second mailbox with the same messages, for a canister with the same id. The caller also forks the ready
// set in which the source waits.
func (m *Mailbox) Fork(to *Mailbox) {
	*to = *m
	to.arrivals, to.tasks, to.responses, to.ingress = m.arrivals.Fork(), m.tasks.Fork(), m.responses.Fork(), m.ingress.Fork()
	to.spare, to.spares, to.pairs = nil, 0, nil
	if len(m.pairs) == 0 {
		return
	}
	to.pairs = maps.Clone(m.pairs)
	for other, p := range to.pairs { // each by itself: no order can be seen
		to.pairs[other] = &pair{requests: p.requests.Fork(), calls: p.calls, owed: p.owed}
	}
}

// Fork is a second set. of gives its mailbox for each mailbox in the first.
func (r *Ready) Fork(of func(*Mailbox) *Mailbox) Ready {
	replaced := func(list []*Mailbox) []*Mailbox {
		if len(list) == 0 {
			return nil
		}
		to := make([]*Mailbox, len(list))
		for i, m := range list {
			to[i] = of(m)
		}
		return to
	}
	return Ready{now: replaced(r.now[r.at:]), next: replaced(r.next)}
}

// Fork is a second call table with the same contexts and futures.
func (l *CallTable) Fork() CallTable {
	return CallTable{contexts: l.contexts.fork(), futures: l.futures.fork(), lastContext: l.lastContext, lastCall: l.lastCall}
}

// fork is a second slab, which keeps its records packed until one is used: few of the records of a slab live, and many
// forks are never used.
func (s *slab[T]) fork() slab[T] {
	switch {
	case s.live == 0:
		return slab[T]{}
	case s.packed != nil:
		return slab[T]{live: s.live, packed: s.packed}
	}
	packed := make([]record[T], 0, s.live)
	s.each(func(id uint64, value *T) { packed = append(packed, record[T]{id: id, value: *value}) })
	return slab[T]{live: s.live, packed: packed}
}

// unpack gives the records of a fork their slots.
func (s *slab[T]) unpack() {
	records := s.packed
	s.packed, s.live = nil, 0
	for i := range records {
		*s.add(records[i].id) = records[i].value
	}
}
