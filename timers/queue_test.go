package timers

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// check fails if a key is in a page where it is not looked for, the first page is not sorted, or a page that can be dropped is kept.
func (q *queue) check(t *rapid.T) {
	keys := len(q.few)
	for page, r := range q.ranges {
		keys += r.n
		if r.n == 0 && len(q.ranges) > 1 {
			t.Fatalf("page %d of %d is empty", page, len(q.ranges))
		}
		if r.popped > 0 && page > 0 {
			t.Fatalf("page %d begins with %d keys that were removed", page, r.popped)
		}
		for _, k := range r.keys(q.pages.Read(uint(page))) {
			if k.at < r.from || page+1 < len(q.ranges) && k.at > q.ranges[page+1].from {
				t.Fatalf("a key at %d is in page %d of the ranges %v", k.at, page, q.ranges)
			}
		}
	}
	if !inOrder(q.first()) {
		t.Fatalf("the first keys are not sorted: %v", q.first())
	}
	if keys != q.n || q.pages.Len() != len(q.ranges) {
		t.Fatalf("%d keys in %d pages, want %d in %d", keys, q.pages.Len(), q.n, len(q.ranges))
	}
}

// sorted is a queue, and its keys in order.
type sorted struct {
	queue queue
	model []key
}

func (s *sorted) add(k key) {
	s.queue.add(&k)
	at, _ := slices.BinarySearchFunc(s.model, k, compare)
	s.model = slices.Insert(s.model, at, k)
}

// A queue of many pages gives keys in the order of a sorted list, in whatever order they come, and whatever its forks do.
func TestAQueueOfManyPagesAgreesWithASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []*sorted{{}}
		seq := uint64(0)
		for range rapid.IntRange(1, 30).Draw(t, "operations") {
			s := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			many := rapid.IntRange(1, 2*queuePage).Draw(t, "many")
			switch operation := rapid.IntRange(0, 7).Draw(t, "operation"); operation {
			case 0, 1, 2, 3:
				from := rapid.Uint64Range(10_000, 20_000).Draw(t, "from")
				for i := range uint64(many) {
					seq++
					s.add(key{at: [...]uint64{from + i, from - i, from, scattered(int(i))}[operation], seq: seq})
				}
			case 4, 5:
				for range min(many, len(s.model)) {
					if first := s.queue.first(); first[0] != s.model[0] {
						t.Fatalf("the first key is %v, want %v", first[0], s.model[0])
					}
					s.queue.pop()
					s.model = s.model[1:]
				}
			case 6:
				of := rapid.Uint64Range(1, 9).Draw(t, "of")
				gone := func(k key) bool { return k.seq/64%of == 0 }
				s.queue.keep(func(k *key) bool { return !gone(*k) })
				s.model = slices.DeleteFunc(s.model, gone)
			case 7:
				if len(all) < 4 {
					all = append(all, &sorted{s.queue.fork(), slices.Clone(s.model)})
				}
			}
			for _, s := range all {
				s.queue.check(t)
				var keys []key
				for k := range s.queue.all() {
					keys = append(keys, *k)
				}
				if slices.SortFunc(keys, compare); !slices.Equal(keys, s.model) {
					t.Fatalf("the queue has %d keys, or others than the %d of the list", len(keys), len(s.model))
				}
			}
		}
	})
}

// Keys that come in their order fill pages: none is split.
func TestKeysInOrderFillPages(t *testing.T) {
	var q queue
	const keys = 10 * queuePage
	for i := range uint64(keys) {
		q.add(&key{at: i / 3, seq: i})
	}
	if q.pages.Len() != keys/queuePage {
		t.Errorf("%d keys are in %d pages, want %d", keys, q.pages.Len(), keys/queuePage)
	}
}

// Keys in any order leave pages half empty at most, and keys that are removed leave few pages behind.
func TestAQueueHasFewPages(t *testing.T) {
	var q queue
	const keys = 100 * queuePage
	for i := range keys {
		q.add(&key{at: uint64(keys - i), seq: uint64(i)})
	}
	if most := 2*keys/queuePage + 1; q.pages.Len() > most {
		t.Errorf("%d keys are in %d pages, want at most %d", keys, q.pages.Len(), most)
	}
	for of := uint64(2); of <= 1<<10; of *= 2 {
		q.keep(func(k *key) bool { return k.seq%of == 0 })
		if most := 2*(2*q.n)/mostMixed + 1; q.pages.Len() > most {
			t.Errorf("%d of %d keys are in %d pages, want at most %d", q.n, keys, q.pages.Len(), most)
		}
	}
}

// A queue that is as long at the end as at the beginning has as many pages, whether keys come in their order or not.
func TestPagesOfAQueueAreReused(t *testing.T) {
	var q queue
	seq := uint64(0)
	for i := range uint64(20 * queuePage) {
		seq++
		q.add(&key{at: i + scattered(int(i))%7, seq: seq})
		if q.n > queuePage/2 {
			q.pop()
		}
		if q.pages.Len() > 2 {
			t.Fatalf("%d keys are in %d pages", q.n, q.pages.Len())
		}
	}
}
