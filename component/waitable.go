package component

import (
	"cmp"
	"slices"
)

// eventCode says what happened to a waitable.
type eventCode uint32

const (
	eventNone eventCode = iota
	eventSubtask
	eventStreamRead
	eventStreamWrite
	eventFutureRead
	eventFutureWrite
	eventTaskCancelled
)

// event is what core code gets when it waits.
type event struct {
	code           eventCode
	index, payload uint32
}

// handleItem is an item of the handle table of an instance.
type handleItem interface {
	kindName() string
}

// waitable is the part of a subtask, or of an end of a stream or future, that core code waits for.
type waitable struct {
	set     *waitableSet
	waiter  *thread // that waits for it without a set
	joined  uint64  // the place among those that joined the set
	index   uint32  // in the handle table
	pending bool    // it has an event
}

// waitableItem is an item of the handle table that is a waitable.
type waitableItem interface {
	handleItem
	base() *waitable
	// take gives the event, and does what happens when core code learns of it.
	take() event
}

// waitableSet is a set of waitables. Each event goes to one of its waiters.
type waitableSet struct {
	waiters threadList
	pending []waitableItem // those with an event, in the order in which they joined
	joined  uint64         // waitables that ever did
	members int
	waiting int // threads that wait for it
}

func (w *waitableSet) kindName() string { return "waitable set" }
func (w *waitable) kindName() string    { return "waitable" }

func byJoining(item waitableItem, joined uint64) int { return cmp.Compare(item.base().joined, joined) }

// notify records that a waitable has an event, and signals a thread that waits for it.
func (h *host) notify(item waitableItem) {
	w := item.base()
	if w.waiter != nil {
		h.signal(w.waiter)
	}
	if w.pending {
		return
	}
	w.pending = true
	if w.set != nil {
		w.set.insert(item)
		h.wakeWaiter(w.set)
	}
}

func (w *waitableSet) insert(item waitableItem) {
	at, _ := slices.BinarySearchFunc(w.pending, item.base().joined, byJoining)
	w.pending = slices.Insert(w.pending, at, item)
}

// take takes the event of a waitable.
func (h *host) take(item waitableItem) event {
	w := item.base()
	w.pending = false
	if w.set != nil {
		w.set.delete(item)
	}
	return item.take()
}

func (w *waitableSet) delete(item waitableItem) {
	if at, ok := slices.BinarySearchFunc(w.pending, item.base().joined, byJoining); ok {
		w.pending = slices.Delete(w.pending, at, at+1)
	}
}

// take takes an event of the set, which has one.
func (w *waitableSet) take(h *host) event {
	at := h.choose(ChooseEvent, len(w.pending), func(i int) Option {
		o := h.current.option()
		o.Handle = w.pending[i].base().index
		return o
	})
	return h.take(w.pending[at])
}

// join moves a waitable to a set, or to none.
func (h *host) join(item waitableItem, set *waitableSet) {
	w := item.base()
	if w.waiter != nil {
		trapSynchronous()
	}
	if w.set != nil {
		w.set.members--
		if w.pending {
			w.set.delete(item)
		}
	}
	w.set = set
	if set == nil {
		return
	}
	set.members++
	set.joined++
	w.joined = set.joined
	if w.pending {
		set.insert(item)
		h.wakeWaiter(set)
	}
}

func trapSynchronous() {
	trap("waitable cannot be used synchronously while added to a waitable set")
}

// await blocks the current thread until a waitable has an event.
func (h *host) await(w *waitable) {
	w.waiter = h.current
	h.wait(waitSignal, false)
	w.waiter = nil
}

// waitFor blocks the current thread until a set has an event, and takes it.
func (h *host) waitFor(set *waitableSet, cancellable bool) event {
	h.current.set = set
	if h.wait(waitSet, cancellable) {
		return event{code: eventTaskCancelled}
	}
	return set.take(h)
}

// poll takes an event of a set if it has one.
func (h *host) poll(set *waitableSet, cancellable bool) event {
	switch {
	case h.current.task.deliverCancel(cancellable):
		return event{code: eventTaskCancelled}
	case len(set.pending) == 0:
		return event{}
	}
	return set.take(h)
}

// dropSet removes a set, which must be empty.
func (s *instanceState) dropSet(index uint32) {
	set := tableItem[*waitableSet](s, index)
	if set.members > 0 {
		trap("cannot drop waitable set with waitables in it")
	}
	if set.waiting > 0 {
		trap("cannot drop waitable set with waiters")
	}
	s.handles.remove(index)
}
