package timers

import "slices"

// Fork is a second table with the same deadlines under the same handles. What
// either is given or loses later the other does not notice. The two have what is in them
// together until the first change of each.
func (t *Table) Fork() Table {
	t.shared = true
	return *t
}

// own makes what is in the table its own.
func (t *Table) own() {
	t.heap, t.slots, t.free, t.shared = slices.Clone(t.heap), slices.Clone(t.slots), slices.Clone(t.free), false
}
