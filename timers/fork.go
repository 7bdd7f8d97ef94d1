package timers

import "slices"

// Fork is a second table with the same deadlines under the same handles. What
// either is given or loses later the other does not notice.
func (t *Table) Fork() Table {
	return Table{heap: slices.Clone(t.heap), slots: slices.Clone(t.slots), free: slices.Clone(t.free), seq: t.seq}
}
