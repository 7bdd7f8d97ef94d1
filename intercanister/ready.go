package intercanister

import "slices"

// Ready is the set of mailboxes with waiting messages, in batches: a batch holds the mailboxes that were ready when it
// began, in the order of canister ids; those that become ready later wait for the next. An idle mailbox costs nothing.
// The zero value is an empty set.
type Ready struct {
	now, next []*Mailbox
	at        int // in the current batch: mailboxes before it have been taken
}

// Add adds a mailbox to the next batch, unless it is already in a batch, has nothing waiting or belongs to a canister
// that is busy or deleted.
func (r *Ready) Add(m *Mailbox) {
	if m.queued || !m.ready() {
		return
	}
	m.queued = true
	r.next = append(r.next, m)
}

// Batch begins the next batch if the present one has ended. It returns false if nothing is ready.
func (r *Ready) Batch() bool {
	if r.at < len(r.now) {
		return true
	}
	clear(r.now)
	r.now, r.next, r.at = r.next, r.now[:0], 0
	slices.SortFunc(r.now, func(a, b *Mailbox) int { return a.Owner.Compare(b.Owner) })
	return len(r.now) > 0
}

// Next takes the next mailbox of the batch, nil if the batch has ended. The caller adds it again when its message has
// run.
func (r *Ready) Next() *Mailbox {
	for r.at < len(r.now) {
		m := r.now[r.at]
		r.at++
		m.queued = false
		if m.ready() {
			return m
		}
	}
	return nil
}

// Prune removes empty mailboxes from the present batch, as Next would skip them. It removes none while the batch begins
// with first, whose message may change the other mailboxes.
func (r *Ready) Prune(first *Mailbox) {
	if r.at < len(r.now) && r.now[r.at] == first && first.ready() {
		return
	}
	rest := slices.DeleteFunc(r.now[r.at:], func(m *Mailbox) bool {
		if m.ready() {
			return false
		}
		m.queued = false
		return true
	})
	r.now = r.now[:r.at+len(rest)]
}

// Remove removes one mailbox from the batch that has it.
func (r *Ready) Remove(m *Mailbox) {
	m.queued = false
	remove := func(list []*Mailbox) []*Mailbox {
		if i := slices.Index(list, m); i >= 0 {
			return slices.Delete(list, i, i+1)
		}
		return list
	}
	rest := remove(r.now[r.at:])
	r.now = r.now[:r.at+len(rest)]
	r.next = remove(r.next)
}

// Waiting lists the ready mailboxes: first of the present batch, then of the next, each in the order of canister ids.
func (r *Ready) Waiting(dst []*Mailbox) []*Mailbox {
	for _, m := range r.now[r.at:] {
		if m.ready() {
			dst = append(dst, m)
		}
	}
	first := len(dst)
	for _, m := range r.next {
		if m.ready() {
			dst = append(dst, m)
		}
	}
	slices.SortFunc(dst[first:], func(a, b *Mailbox) int { return a.Owner.Compare(b.Owner) })
	return dst
}

// Messages returns how many messages wait in the ready mailboxes, except one mailbox.
func (r *Ready) Messages(without *Mailbox) (n int) {
	for _, list := range [][]*Mailbox{r.now[r.at:], r.next} {
		for _, m := range list {
			if m != without && m.ready() {
				n += m.Len()
			}
		}
	}
	return n
}

// Empty reports whether nothing is ready.
func (r *Ready) Empty() bool { return r.at >= len(r.now) && len(r.next) == 0 }

// Between reports whether a batch has ended, so that the next one may begin.
func (r *Ready) Between() bool { return r.at >= len(r.now) }
