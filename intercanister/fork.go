package intercanister

import "slices"

// A fork has the same content as its source, in the same order and under the same ids; from then on they are
// independent. Payloads and rejects are never modified, and are shared.

// Fork returns a copy of the queue.
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
	to.spare, to.spares, to.pairs = nil, 0, m.pairs.fork()
}

// Fork returns a copy of the set. of returns its mailbox for each mailbox in the source.
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

// Fork returns a second call table with the same contexts and futures.
func (l *CallTable) Fork() CallTable {
	return CallTable{contexts: l.contexts.fork(), futures: l.futures.fork(), lastContext: l.lastContext, lastCall: l.lastCall}
}

// fork returns a copy of the slab, which keeps its records packed until one is used: most slots of a slab are free, and
// many forks are never used.
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

// unpack assigns slots to the records of a fork.
func (s *slab[T]) unpack() {
	records := s.packed
	s.packed, s.live = nil, 0
	for i := range records {
		*s.add(records[i].id) = records[i].value
	}
}
