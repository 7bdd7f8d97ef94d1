package stable

import (
	"cmp"
	"slices"
)

// run is some file pages in a row.
type run struct{ first, pages uint32 }

// runs is a stack of runs that do not overlap, with the number of pages in them.
type runs struct {
	all    []run
	pages  int
	merged int // runs there were after the last merge
}

// push adds a run; if it goes on where the last one ends, they become one.
func (r *runs) push(add run) {
	r.pages += int(add.pages)
	if n := len(r.all); n > 0 && r.all[n-1].first+r.all[n-1].pages == add.first {
		r.all[n-1].pages += add.pages
		return
	}
	r.all = append(r.all, add)
}

// pop removes up to most pages in a row. There must be some.
func (r *runs) pop(most uint32) run {
	last := &r.all[len(r.all)-1]
	got := run{last.first, min(most, last.pages)}
	last.first += got.pages
	last.pages -= got.pages
	if last.pages == 0 {
		r.all = r.all[:len(r.all)-1]
	}
	r.pages -= int(got.pages)
	return got
}

// minMerge is how many runs of unused pages there are before those side by side are looked for: looking costs time.
const minMerge = 64

// merge joins runs that lie side by side, once there are twice as many as after the last time: so it costs little for
// each that was added.
func (r *runs) merge() {
	if len(r.all) < max(2*r.merged, minMerge) {
		return
	}
	slices.SortFunc(r.all, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	all := r.all
	r.all, r.pages = r.all[:0], 0
	for _, next := range all { // push stays behind the reading
		r.push(next)
	}
	r.merged = len(r.all)
}
