package timers

import (
	"cmp"
	"slices"
)

// Pending is a deadline in a table, with its order of insertion.
type Pending struct {
	Deadline
	Order uint64
}

// All returns the deadlines in the order in which they fall due.
func (t *Table) All() []Pending {
	all := make([]Pending, 0, t.live)
	for k := range t.all() {
		all = append(all, Pending{t.slots.at(k.slot).what, k.seq})
	}
	slices.SortFunc(all, func(a, b Pending) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Order, b.Order)) })
	return all
}
