package timers

import (
	"cmp"
	"slices"
)

// key is the place of a deadline in the order.
type key struct {
	at, seq          uint64
	slot, generation uint32
}

func (k *key) before(o *key) bool { return k.at < o.at || k.at == o.at && k.seq < o.seq }

func compare(a, b key) int {
	if a.at != b.at {
		return cmp.Compare(a.at, b.at)
	}
	return cmp.Compare(a.seq, b.seq)
}

// inOrder reports whether keys are sorted.
func inOrder(keys []key) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i].before(&keys[i-1]) {
			return false
		}
	}
	return true
}

// insert writes a key, which is after all keys of the same time, to its place among sorted keys: the last place is free.
func insert(keys []key, k *key) {
	last := len(keys) - 1
	at := last
	if last > 0 && keys[last-1].at > k.at {
		at, _ = slices.BinarySearchFunc(keys[:last], *k, compare)
		copy(keys[at+1:], keys[at:last])
	}
	keys[at] = *k
}

// partition moves the n first keys to the beginning (Hoare's selection).
func partition(keys []key, n int) {
	for len(keys) > 1 {
		pivot := keys[len(keys)/2]
		i, j := 0, len(keys)-1
		for i <= j {
			for keys[i].before(&pivot) {
				i++
			}
			for pivot.before(&keys[j]) {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i++
				j--
			}
		}
		switch { // keys[:j+1] are at most the pivot, keys[i:] at least, and between them is the pivot alone
		case n <= j:
			keys = keys[:j+1]
		case n >= i:
			keys, n = keys[i:], n-i
		default:
			return
		}
	}
}
