package timers

import (
	"fmt"
	"iter"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/cow"
)

// Kind says what a deadline is for. The table ignores it.
type Kind uint8

// The deadlines of a subnet.
const (
	GlobalTimer   Kind = iota + 1 // Subject: the canister
	CallExpiry                    // Number: the call; a best-effort call that was not answered in time
	IngressExpiry                 // Number: the message; it can no longer start
	IngressPrune                  // Number: the message; its answer may be forgotten
	StopTimeout                   // Subject: the canister, Number: the waiter
	Charge                        // canisters pay for their resources
	HookRetry                     // Subject: the canister; its low-memory hook could not be paid for
	RequestExpiry                 // Subject: the receiver; a best-effort request that was not executed in time
	OutcallExpiry                 // Number: the HTTP outcall; it was not answered in time
	HeldMessage                   // Number: the message; it was held long enough, or is too late
	Wake                          // Subject: the canister; its message resumes, which waits in the middle of its code
)

// String returns the kind for people.
func (k Kind) String() string {
	names := [...]string{
		"nothing", "global timer", "call expiry", "ingress expiry", "ingress pruning", "stop timeout", "charge",
		"hook retry", "request expiry", "outcall expiry", "held message", "wake",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Deadline is a time at which something is due.
type Deadline struct {
	At      uint64 // nanoseconds
	Number  uint64
	Subject principal.Principal
	Kind    Kind
}

// Handle identifies a deadline in a table. The zero value identifies none. A handle becomes invalid when its deadline
// fires or is removed; it is never assigned to another deadline.
type Handle uint64

func handle(slot, generation uint32) Handle { return Handle(generation)<<32 | Handle(slot) }

func (h Handle) split() (slot, generation uint32) { return uint32(h), uint32(h >> 32) }

// Table holds deadlines in the order in which they fall due: by time, among equal times by insertion. Add and Pop take
// O(log n), Remove O(1) on average; they allocate only while the table grows. The zero value is an empty table.
type Table struct {
	queue queue // with keys of deadlines that were removed, but the first is of one in the table
	slots slots
	free  cow.List[uint32]
	live  int // deadlines in the table
	seq   uint64
}

// mostDead is how many keys of removed deadlines the queue has beyond those of the others before these are removed. Ours.
const mostDead = 64

// Len returns the number of deadlines in the table.
func (t *Table) Len() int { return t.live }

// Add adds a deadline to the table.
func (t *Table) Add(d Deadline) Handle {
	var number uint32
	if t.free.Len() > 0 {
		number = t.free.PopLast()
	} else {
		number = t.slots.add()
	}
	s := t.slots.change(number)
	s.what = d
	s.generation++
	t.seq++
	t.live++
	t.queue.add(&key{at: d.At, seq: t.seq, slot: number, generation: s.generation})
	return handle(number, s.generation)
}

// Get returns the deadline of a valid handle.
func (t *Table) Get(h Handle) (Deadline, bool) {
	if !t.Has(h) {
		return Deadline{}, false
	}
	s, _ := h.split()
	return t.slots.at(s).what, true
}

// Has reports whether a handle is valid.
func (t *Table) Has(h Handle) bool {
	s, generation := h.split()
	return int(s) < t.slots.n && t.slots.at(s).generation == generation && generation&1 != 0
}

// Remove removes a deadline before it fires. It returns false for an invalid handle.
func (t *Table) Remove(h Handle) bool {
	if !t.Has(h) {
		return false
	}
	s, _ := h.split()
	t.release(s)
	t.skipDead()
	if dead := t.queue.n - t.live; dead > t.live+mostDead {
		t.queue.keep(t.alive)
	}
	return true
}

// Next returns the time of the earliest deadline, and false if there is none.
func (t *Table) Next() (at uint64, ok bool) {
	first := t.queue.first()
	if len(first) == 0 {
		return 0, false
	}
	return first[0].at, true
}

// Pop removes and returns the earliest deadline at or before now.
func (t *Table) Pop(now uint64) (Deadline, bool) {
	first := t.queue.first()
	if len(first) == 0 || first[0].at > now {
		return Deadline{}, false
	}
	s := first[0].slot
	d := t.slots.at(s).what
	t.release(s)
	t.queue.pop()
	t.skipDead()
	return d, true
}

// release frees the slot of a deadline. Its key in the queue is dead from then on.
func (t *Table) release(s uint32) {
	free := t.slots.change(s)
	free.what = Deadline{}
	free.generation++
	t.free.Push(s)
	t.live--
}

// alive reports whether the deadline of a key is in the table.
func (t *Table) alive(k *key) bool { return t.slots.at(k.slot).generation == k.generation }

// skipDead removes dead keys until the first is alive.
func (t *Table) skipDead() {
	for t.queue.n > t.live && !t.alive(&t.queue.first()[0]) {
		t.queue.pop()
	}
}

// all iterates over the keys of the deadlines in the table, in no order.
func (t *Table) all() iter.Seq[*key] {
	return func(yield func(*key) bool) {
		for k := range t.queue.all() {
			if t.alive(k) && !yield(k) {
				return
			}
		}
	}
}
