package timers

// First returns the time of the earliest deadline of some kinds, and false if there is none. It looks at all deadlines.
func (t *Table) First(of func(Kind) bool) (at uint64, ok bool) {
	for k := range t.all() {
		if (!ok || k.at < at) && of(t.slots.at(k.slot).what.Kind) {
			at, ok = k.at, true
		}
	}
	return at, ok
}
