package component

// table gives items indices from 1. The indices of removed items are given again, the last one first.
type table[T comparable] struct {
	items  []T // the item 0 stays empty
	free   []uint32
	memory *memoryBudget
}

func (t *table[T]) add(item T) uint32 {
	if n := len(t.free); n > 0 {
		index := t.free[n-1]
		t.free = t.free[:n-1]
		t.items[index] = item
		return index
	}
	if len(t.items) == 0 {
		t.items = make([]T, 1)
	}
	if len(t.items) > maxHandles { // the first item is none
		trap("the handle table is full: it has %d handles", maxHandles)
	}
	t.memory.charge(handleBytes, "a handle")
	t.items = append(t.items, item)
	return uint32(len(t.items) - 1)
}

func (t *table[T]) get(index uint32) T {
	var empty T
	if uint64(index) >= uint64(len(t.items)) || t.items[index] == empty {
		trap("unknown handle index %d", index)
	}
	return t.items[index]
}

func (t *table[T]) remove(index uint32) {
	var empty T
	t.items[index] = empty
	t.free = append(t.free, index)
}

// tableItem gives the item of a kind at an index of the handle table of an instance.
func tableItem[T handleItem](s *instanceState, index uint32) T {
	item := s.handles.get(index)
	of, ok := item.(T)
	if !ok {
		trap("handle index %d used with the wrong type, expected %s but found %s", index, of.kindName(), item.kindName())
	}
	return of
}
