package stable

import (
	"cmp"
	"slices"
)

// run is a sequence of adjacent file pages.
type run struct{ first, pages uint32 }

// runs is a stack of runs that do not overlap, with the number of pages in them.
type runs struct {
	all    []run
	pages  int
	merged int // number of runs after the last merge
}

// push adds a run. It joins it with the last one if they are adjacent.
func (r *runs) push(add run) {
	r.pages += int(add.pages)
	if n := len(r.all); n > 0 && r.all[n-1].first+r.all[n-1].pages == add.first {
		r.all[n-1].pages += add.pages
		return
	}
	r.all = append(r.all, add)
}

// pop removes up to most adjacent pages. There must be some.
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

// minMerge is the number of unused runs from which merge looks for adjacent ones: looking takes time.
const minMerge = 64

// merge joins adjacent runs, once there are twice as many as after the last time: so the cost for each added run is
// small.
func (r *runs) merge() {
	if len(r.all) < max(2*r.merged, minMerge) {
		return
	}
	slices.SortFunc(r.all, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	all := r.all
	r.all, r.pages = r.all[:0], 0
	for _, next := range all { // push stays behind the reads
		r.push(next)
	}
	r.merged = len(r.all)
}
