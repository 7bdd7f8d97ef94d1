package model

import (
	"cmp"
	"slices"
)

// ordered keeps things by key in the order of their keys, so that a failing run fails the same way again: the order of
// a map is random. The zero value is empty.
type ordered[K cmp.Ordered, T any] struct {
	keys   []K
	things []T
}

func (o *ordered[K, T]) get(key K) (thing T) {
	if i, found := slices.BinarySearch(o.keys, key); found {
		thing = o.things[i]
	}
	return thing
}

func (o *ordered[K, T]) put(key K, thing T) {
	i, found := slices.BinarySearch(o.keys, key)
	if found {
		o.things[i] = thing
		return
	}
	o.keys, o.things = slices.Insert(o.keys, i, key), slices.Insert(o.things, i, thing)
}

func (o *ordered[K, T]) remove(key K) {
	if i, found := slices.BinarySearch(o.keys, key); found {
		o.keys, o.things = slices.Delete(o.keys, i, i+1), slices.Delete(o.things, i, i+1)
	}
}
