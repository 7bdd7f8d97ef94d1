package timers

import "slices"

// Fork returns a second table with the same deadlines under the same handles. The two share their content until each
// changes for the first time; from then on they are independent.
func (t *Table) Fork() Table {
	t.mark.Share()
	return *t
}

// copyContent gives the table its own content.
func (t *Table) copyContent() {
	t.heap, t.slots, t.free = slices.Clone(t.heap), slices.Clone(t.slots), slices.Clone(t.free)
}
