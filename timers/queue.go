package timers

import (
	"iter"
	"slices"

	"github.com/canisterd/canisterd/internal/cow"
)

const (
	queuePage = 512               // keys that a fork copies at once
	mostMixed = queuePage * 3 / 4 // keys of two pages that are put into one
	// mostFew is how many keys and slots a table has before it has pages: they take 26 KB, and most instances have a
	// deadline or two.
	mostFew = 16
)

// queue is a priority queue of keys in pages that forks share. The keys of a page are before those of the next page. Only
// the first page is sorted; a later page has its keys in any order, and is sorted when it becomes the first. Most deadlines
// come in their order, and are never moved. An addition writes one page, which a fork then copies; a removal writes none.
type queue struct {
	pages  cow.Pages[[queuePage]key]
	ranges []pageRange // of the pages
	mark   cow.Mark    // set while a fork shares ranges
	n      int
	few    []key // the keys while there are no pages, sorted
}

// pageRange says which keys are in a page. Every page has some, unless the queue is empty.
type pageRange struct {
	from   uint64 // earlier keys are at or before this time, those of the page and later ones at or after it; 0 for the first page
	popped int    // keys that were removed from the beginning of the page; 0 for all but the first page
	n      int    // keys after those
}

// keys returns the keys of a page.
func (r *pageRange) keys(page *[queuePage]key) []key { return page[r.popped:][:r.n] }

// first returns the first keys, sorted, which must not be written. It is empty if the queue is.
func (q *queue) first() []key {
	if q.pages.Len() == 0 {
		return q.few
	}
	return q.ranges[0].keys(q.pages.Read(0))
}

// add adds a key that is after all keys of the same time.
func (q *queue) add(k *key) {
	q.n++
	if q.pages.Len() == 0 {
		if len(q.few) < mostFew {
			q.few = append(q.few, key{})
			insert(q.few, k)
			return
		}
		q.addPage(0, 0, q.few)
		q.few = nil
	}
	q.ownRanges()
	page := q.pageOf(k.at)
	if r := &q.ranges[page]; r.popped+r.n == queuePage {
		q.makeRoom(page, k)
		page = q.pageOf(k.at)
	}
	r := &q.ranges[page]
	r.n++
	keys := r.keys(q.pages.Write(uint(page)))
	if page == 0 {
		insert(keys, k)
	} else {
		keys[r.n-1] = *k
	}
}

// pageOf returns the number of the page for a new key: the last with keys from its time on or before.
func (q *queue) pageOf(at uint64) int {
	page := 0
	for n := len(q.ranges); n > 1; {
		half := n / 2
		if q.ranges[page+half].from <= at {
			page += half
		}
		n -= half
	}
	return page
}

// addPage inserts a page with some keys at a place.
func (q *queue) addPage(page int, from uint64, keys []key) {
	q.ownRanges()
	q.pages.Insert(page)
	q.ranges = slices.Insert(q.ranges, page, pageRange{from: from, n: len(keys)})
	copy(q.pages.Write(uint(page))[:], keys)
}

// makeRoom makes room for a key in a page that ends with another. If the key is the last of all, it gets a page of its own,
// so that keys that come in their order fill pages. A page of many keys is split: the later half moves to a page of its own.
func (q *queue) makeRoom(page int, k *key) {
	content, r := q.pages.Write(uint(page)), &q.ranges[page]
	keys := r.keys(content)
	const half = queuePage / 2
	switch {
	case page == len(q.ranges)-1 && !slices.ContainsFunc(keys, func(o key) bool { return k.before(&o) }):
		q.addPage(page+1, k.at, nil)
	case r.n <= half:
		copy(content[:], keys)
		r.popped = 0
	default:
		if page > 0 {
			partition(keys, half)
		}
		r.n = half
		q.addPage(page+1, keys[half].at, keys[half:])
	}
}

// pop removes the first key.
func (q *queue) pop() {
	q.n--
	if q.pages.Len() == 0 {
		q.few = slices.Delete(q.few, 0, 1)
		return
	}
	q.ownRanges()
	r := &q.ranges[0]
	r.popped++
	if r.n--; r.n == 0 {
		q.dropFirst()
	}
}

// dropFirst removes the first page, which is empty, unless it is the only one.
func (q *queue) dropFirst() {
	if len(q.ranges) == 1 {
		q.ranges[0].popped = 0
		return
	}
	q.pages.Drop(0)
	q.ranges = slices.Delete(q.ranges, 0, 1)
	q.ranges[0].from = 0
	q.sortFirst()
}

// sortFirst sorts the first page.
func (q *queue) sortFirst() {
	if !inOrder(q.first()) {
		slices.SortFunc(q.ranges[0].keys(q.pages.Write(0)), compare)
	}
}

// keep removes all keys but those that stay, and puts the rest of neighboring pages into one while they fit.
func (q *queue) keep(stays func(*key) bool) {
	if q.pages.Len() == 0 {
		q.few = slices.DeleteFunc(q.few, func(k key) bool { return !stays(&k) })
		q.n = len(q.few)
		return
	}
	q.ownRanges()
	q.n = 0
	to, kept := 0, 0 // the page that is filled, and its keys so far
	for from := range q.ranges {
		r := q.ranges[from]
		if from > to && kept > 0 && kept+r.n > mostMixed {
			q.ranges[to].n = kept
			to, kept = to+1, 0
			q.ranges[to].from = r.from
		}
		for _, k := range r.keys(q.pages.Read(uint(from))) {
			if stays(&k) {
				q.pages.Write(uint(to))[kept] = k
				kept++
				q.n++
			}
		}
	}
	q.ranges[to].n = kept
	q.truncate(to + 1)
	q.ranges[0].popped = 0
	q.sortFirst()
}

// truncate drops the pages from a number on, and the last one too if it is empty.
func (q *queue) truncate(pages int) {
	if pages > 1 && q.ranges[pages-1].n == 0 {
		pages--
	}
	for q.pages.Len() > pages {
		q.pages.Drop(q.pages.Len() - 1)
	}
	q.ranges = q.ranges[:pages]
}

// all iterates over the keys, in no order.
func (q *queue) all() iter.Seq[*key] {
	return func(yield func(*key) bool) {
		for i := range q.few {
			if !yield(&q.few[i]) {
				return
			}
		}
		for page := range q.ranges {
			keys := q.ranges[page].keys(q.pages.Read(uint(page)))
			for i := range keys {
				if !yield(&keys[i]) {
					return
				}
			}
		}
	}
}

// ownRanges copies ranges if a fork shares them.
func (q *queue) ownRanges() {
	if q.mark.Own() {
		q.ranges = slices.Clone(q.ranges)
	}
}

func (q *queue) fork() queue {
	q.mark.Share()
	return queue{q.pages.Fork(), q.ranges, q.mark, q.n, slices.Clone(q.few)}
}
