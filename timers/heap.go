package timers

import (
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
	arity    = 4   // of the heap: four children share a cache line or two and halve the depth
	heapPage = 512 // keys that a fork copies at once
	// mostFew is how many keys and slots a table has before it has pages: they take 26 KB, and most instances have a
	// deadline or two.
	mostFew = 16
)

// keyHeap is a heap of keys, in pages that forks share. Children are in one page: three places are before position 0.
// It does not know where a key is: a change of a table writes few pages, which a fork then copies.
type keyHeap struct {
	pages cow.Pages[[heapPage]key]
	n     int
	few   []key // the keys while there are no pages
}

// split returns the page of a position and the place there.
func split(i int) (page, at uint) {
	place := uint(i) + arity - 1
	return place / heapPage, place % heapPage
}

// at returns the key at a position, which must not be written.
func (h *keyHeap) at(i int) *key {
	if h.pages.Len() == 0 {
		return &h.few[i]
	}
	page, at := split(i)
	return &h.pages.Read(page)[at]
}

// writable returns the place of the key at a position, which may be written until the next fork.
func (h *keyHeap) writable(i int) *key {
	if h.pages.Len() == 0 {
		return &h.few[i]
	}
	page, at := split(i)
	content := h.pages.Owned(page)
	if content == nil {
		content = h.pages.Write(page)
	}
	return &content[at]
}

// children returns the keys from the position of a first child to that of the last child, which must not be written.
func (h *keyHeap) children(first int) []key {
	if first >= h.n {
		return nil
	}
	if h.pages.Len() == 0 {
		return h.few[first:min(first+arity, h.n)]
	}
	page, at := split(first)
	return h.pages.Read(page)[at : at+uint(min(arity, h.n-first))]
}

func (h *keyHeap) add(k *key) {
	h.extend()
	h.n++
	h.up(h.n-1, k)
}

// extend makes room for a key at the end.
func (h *keyHeap) extend() {
	switch page, _ := split(h.n); {
	case h.pages.Len() > 0:
		if page == uint(h.pages.Len()) {
			h.pages.Add()
		}
	case h.n < mostFew:
		h.few = append(h.few[:h.n], key{})
	default:
		h.pages.Add()
		for i := range h.few {
			*h.writable(i) = h.few[i]
		}
		h.few = nil
	}
}

// pop removes the first key.
func (h *keyHeap) pop() {
	last := *h.at(h.n - 1)
	if h.truncate(h.n - 1); h.n > 0 {
		h.down(0, &last)
	}
}

// truncate drops the keys from a position on.
func (h *keyHeap) truncate(n int) {
	h.n = n
	page, _ := split(n)
	for h.pages.Len() > int(page)+2 { // the page after the last is needed soon
		h.pages.Drop(h.pages.Len() - 1)
	}
}

// keep removes all keys but those that stay.
func (h *keyHeap) keep(stays func(*key) bool) {
	kept := 0
	for i := range h.n {
		if k := h.at(i); stays(k) {
			*h.writable(kept) = *k
			kept++
		}
	}
	h.truncate(kept)
	for i := (kept - 2) / arity; i >= 0; i-- {
		k := *h.at(i)
		h.down(i, &k)
	}
}

// up writes a key to a position or above it.
func (h *keyHeap) up(i int, k *key) {
	to := h.writable(i)
	for i > 0 {
		parent := (i - 1) / arity
		above := h.at(parent)
		if !k.before(above) {
			break
		}
		*to = *above
		to, i = h.writable(parent), parent
	}
	*to = *k
}

// down writes a key to a position or below it.
func (h *keyHeap) down(i int, k *key) {
	to := h.writable(i)
	for {
		first := i*arity + 1
		children := h.children(first)
		if len(children) == 0 {
			break
		}
		least, child := 0, &children[0]
		for c := 1; c < len(children); c++ {
			if children[c].before(child) {
				least, child = c, &children[c]
			}
		}
		if !child.before(k) {
			break
		}
		*to = *child
		i = first + least
		to = h.writable(i)
	}
	*to = *k
}

func (h *keyHeap) fork() keyHeap {
	return keyHeap{pages: h.pages.Fork(), n: h.n, few: slices.Clone(h.few)}
}
