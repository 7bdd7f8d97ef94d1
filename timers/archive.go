package timers

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
)

// Archive writes the table, or reads it: handles stay valid, and deadlines that are due at one time keep their order.
// The number of deadlines that are read is limited.
func (t *Table) Archive(c *archive.Coder, most int) {
	order := make([]uint64, t.slots.n) // order of insertion, by slot
	for k := range t.all() {
		order[k.slot] = k.seq
	}
	archive.Number(c, &t.seq)
	if c.Reading() {
		*t = Table{seq: t.seq}
	}
	at := 0
	archive.List(c, &t.slots, most, func(s *slot) {
		if c.Reading() {
			order = append(order, 0)
		}
		s.archive(c, &order[at])
		at++
	})
	archive.List(c, &t.free, most, func(s *uint32) { archive.Number(c, s) })
	if c.Reading() && !c.Failed() {
		t.restore(c, order)
	}
}

func (s *slot) archive(c *archive.Coder, seq *uint64) {
	archive.Number(c, &s.generation)
	if s.generation&1 == 0 {
		return
	}
	archive.Number(c, seq)
	archive.Number(c, &s.what.At)
	archive.Number(c, &s.what.Number)
	c.Principal(&s.what.Subject)
	archive.AtMost(c, &s.what.Kind, Wake)
}

// restore makes the queue of slots that were read, and checks that the slots match the list of free ones.
func (t *Table) restore(c *archive.Coder, order []uint64) {
	free := make([]bool, t.slots.n)
	for i := range t.free.Len() {
		s := t.free.At(i)
		if !c.Check(int(s) < len(free) && !free[s] && t.slots.at(s).generation&1 == 0, "slot %d of %d deadlines is not free, or twice", s, len(free)) {
			return
		}
		free[s] = true
	}
	var keys []key
	for i := range free {
		if s := t.slots.at(uint32(i)); s.generation&1 == 1 {
			keys = append(keys, key{s.what.At, order[i], uint32(i), s.generation})
		} else if !c.Check(free[i], "slot %d of deadlines is neither used nor free", i) {
			return
		}
	}
	slices.SortFunc(keys, compare)
	for i := range keys {
		k := &keys[i]
		twice := i > 0 && !keys[i-1].before(k)
		c.Check(!twice && k.seq <= t.seq, "two deadlines came at once, or one after the last")
		t.queue.add(k)
	}
	t.live = len(keys)
}
