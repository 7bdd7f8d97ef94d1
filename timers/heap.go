package timers

import "slices"

// arity of a heap: four children share a cache line or two and halve the depth.
const arity = 4

// up writes a key to the last place of a heap, which is free, or above it.
func up(h []key, k *key) {
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if !k.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = *k
}

// down writes a key to a place of a heap, which is free, or below it.
func down(h []key, i int, k key) {
	for {
		first := i*arity + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(h)); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&k) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = k
}

// removeFirst removes the first key of a heap: the last place is free afterwards.
func removeFirst(h []key) {
	if last := len(h) - 1; last > 0 {
		down(h[:last], 0, h[last])
	}
}

// heapify makes a heap of keys.
func heapify(keys []key) {
	parents := (len(keys) + arity - 2) / arity
	for i, k := range slices.Backward(keys[:parents]) {
		down(keys, i, k)
	}
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
