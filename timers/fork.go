package timers

// Fork returns a second table with the same deadlines under the same handles. The two share their pages until each
// changes them.
func (t *Table) Fork() Table {
	return Table{queue: t.queue.fork(), slots: t.slots.fork(), free: t.free.Fork(), live: t.live, seq: t.seq}
}
