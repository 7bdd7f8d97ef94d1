package component

import "context"

// resourceInstance is a resource type at run time: each instance of a component that defines one has its own.
type resourceInstance struct {
	owner      *instanceState                                   // that defines it
	destructor *coreFunction                                    // nil if it has none
	dropped    func(ctx context.Context, representation uint32) // of a resource of the host, whose owner is nil
}

// handle is an item of the handle table of an instance.
type handle struct {
	resource       *resourceInstance
	representation uint32
	own            bool
	lends          int   // calls that borrow from it now
	task           *task // of a borrowed handle: the call that must drop it before it ends
}

// handleTable gives handles indices from 1. The indices of removed handles are given again, the last one first.
type handleTable struct {
	items []*handle // the item 0 stays nil
	free  []uint32
}

func (t *handleTable) add(h *handle) uint32 {
	if n := len(t.free); n > 0 {
		index := t.free[n-1]
		t.free = t.free[:n-1]
		t.items[index] = h
		return index
	}
	if len(t.items) == 0 {
		t.items = append(t.items, nil)
	}
	if len(t.items) > maxHandles { // the first item is none
		trap("the handle table is full: it has %d handles", maxHandles)
	}
	t.items = append(t.items, h)
	return uint32(len(t.items) - 1)
}

// get gives the handle at an index, which must be one of a resource.
func (t *handleTable) get(index uint32, r *resourceInstance) *handle {
	if uint64(index) >= uint64(len(t.items)) || t.items[index] == nil {
		trap("unknown handle index %d", index)
	}
	h := t.items[index]
	if h.resource != r {
		trap("handle index %d used with the wrong type, expected guest-defined resource but found a different guest-defined resource", index)
	}
	return h
}

// remove takes a handle out of the table. Nothing may borrow from it.
func (t *handleTable) remove(index uint32, r *resourceInstance) *handle {
	h := t.get(index, r)
	if h.lends != 0 {
		trap("cannot remove owned resource while borrowed")
	}
	t.items[index] = nil
	t.free = append(t.free, index)
	return h
}
