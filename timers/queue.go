package timers

import (
	"iter"
	"slices"

	"github.com/canisterd/canisterd/internal/cow"
)

// key is the place of a deadline in the order.
type key struct {
	at, seq          uint64
	slot, generation uint32
}

func (k *key) before(o *key) bool { return k.at < o.at || k.at == o.at && k.seq < o.seq }

const (
	queuePage = 512               // keys that a fork copies at once
	mostMixed = queuePage * 3 / 4 // keys of two pages that are put into one
	// mostFew is how many keys and slots a table has before it has pages: they take 26 KB, and most instances have a
	// deadline or two.
	mostFew = 16
)

// queue is a priority queue of keys in pages that forks share. The keys of a page are before those of the next page. Only
// the first page is a heap, which is short enough for the fastest cache; a later page has its keys in any order, and
// becomes a heap when it becomes the first. So an operation writes one page, which a fork then copies.
type queue struct {
	pages  cow.Pages[[queuePage]key]
	ranges []pageRange // of the pages
	mark   cow.Mark    // set while a fork shares ranges
	n      int
	few    []key // the keys while there are no pages, a heap
}

// pageRange says which keys are in a page. Every page has some, unless the queue is empty.
type pageRange struct {
	from uint64 // earlier keys are at or before this time, those of the page and later ones at or after it; 0 for the first page
	n    int
}

// first returns the first keys, a heap, which must not be written. It is empty if the queue is.
func (q *queue) first() []key {
	if q.pages.Len() == 0 {
		return q.few
	}
	return q.pages.Read(0)[:q.ranges[0].n]
}

// add adds a key that is after all keys of the same time.
func (q *queue) add(k *key) {
	q.n++
	if q.pages.Len() == 0 {
		if len(q.few) < mostFew {
			q.few = append(q.few, key{})
			up(q.few, k)
			return
		}
		q.addPage(0, 0, q.few)
		q.few = nil
	}
	q.ownRanges()
	page := q.pageOf(k.at)
	if q.ranges[page].n == queuePage {
		q.split(page, k)
		page = q.pageOf(k.at)
	}
	r := &q.ranges[page]
	keys := q.pages.Write(uint(page))
	r.n++
	if page == 0 {
		up(keys[:r.n], k)
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
	q.ranges = slices.Insert(q.ranges, page, pageRange{from, len(keys)})
	copy(q.pages.Write(uint(page))[:], keys)
}

// split makes room in a full page for a key: the later half of its keys moves to a page of its own. If the key is the last
// of all, only the key does, so that keys that come in their order fill pages.
func (q *queue) split(page int, k *key) {
	keys := q.pages.Write(uint(page))
	if page == len(q.ranges)-1 && !slices.ContainsFunc(keys[:], func(o key) bool { return k.before(&o) }) {
		q.addPage(page+1, k.at, nil)
		return
	}
	const half = queuePage / 2
	partition(keys[:], half)
	q.addPage(page+1, keys[half].at, keys[half:])
	q.ranges[page].n = half
	if page == 0 {
		heapify(keys[:half])
	}
}

// pop removes the first key.
func (q *queue) pop() {
	q.n--
	if q.pages.Len() == 0 {
		removeFirst(q.few)
		q.few = q.few[:q.n]
		return
	}
	q.ownRanges()
	r := &q.ranges[0]
	removeFirst(q.pages.Write(0)[:r.n])
	if r.n--; r.n == 0 && q.n > 0 {
		q.dropFirst()
	}
}

// dropFirst removes the first page, which is empty.
func (q *queue) dropFirst() {
	q.pages.Drop(0)
	q.ranges = slices.Delete(q.ranges, 0, 1)
	q.ranges[0].from = 0
	heapify(q.pages.Write(0)[:q.ranges[0].n])
}

// keep removes all keys but those that stay, and puts the rest of neighboring pages into one while they fit.
func (q *queue) keep(stays func(*key) bool) {
	if q.pages.Len() == 0 {
		q.few = slices.DeleteFunc(q.few, func(k key) bool { return !stays(&k) })
		q.n = len(q.few)
		heapify(q.few)
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
		for _, k := range q.pages.Read(uint(from))[:r.n] {
			if stays(&k) {
				q.pages.Write(uint(to))[kept] = k
				kept++
				q.n++
			}
		}
	}
	q.ranges[to].n = kept
	q.truncate(to + 1)
	heapify(q.pages.Write(0)[:q.ranges[0].n])
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
		for page, r := range q.ranges {
			keys := q.pages.Read(uint(page))
			for i := range r.n {
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
