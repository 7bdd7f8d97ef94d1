package timers

import (
	"fmt"

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

// Table holds deadlines in the order in which they fall due: by time, among equal times by insertion. Add, Remove and
// Pop take O(log n), and allocate only while the table grows beyond its maximum so far. The zero value is an empty
// table.
type Table struct {
	heap  []key
	slots []slot
	free  []uint32
	seq   uint64
	mark  cow.Mark // set while a fork shares heap, slots and free
}

type key struct {
	at, seq uint64
	slot    uint32
}

type slot struct {
	what       Deadline
	at         uint32 // position in the heap
	generation uint32 // odd while in use
}

// arity of the heap: four children share a cache line and halve the depth.
const arity = 4

func (k key) before(o key) bool { return k.at < o.at || k.at == o.at && k.seq < o.seq }

// Len returns the number of deadlines in the table.
func (t *Table) Len() int { return len(t.heap) }

// Add adds a deadline to the table.
func (t *Table) Add(d Deadline) Handle {
	if t.mark.Own() {
		t.copyContent()
	}
	var s uint32
	if n := len(t.free); n > 0 {
		s, t.free = t.free[n-1], t.free[:n-1]
	} else {
		s = uint32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	t.slots[s].what = d
	t.slots[s].generation++
	t.seq++
	t.heap = append(t.heap, key{d.At, t.seq, s})
	t.up(len(t.heap) - 1)
	return handle(s, t.slots[s].generation)
}

// Get returns the deadline of a valid handle.
func (t *Table) Get(h Handle) (Deadline, bool) {
	s, generation := h.split()
	if int(s) >= len(t.slots) || t.slots[s].generation != generation || generation&1 == 0 {
		return Deadline{}, false
	}
	return t.slots[s].what, true
}

// Remove removes a deadline before it fires. It returns false for an invalid handle.
func (t *Table) Remove(h Handle) bool {
	if _, alive := t.Get(h); !alive {
		return false
	}
	s, _ := h.split()
	t.drop(int(t.slots[s].at))
	return true
}

// Next returns the time of the earliest deadline, and false if there is none.
func (t *Table) Next() (at uint64, ok bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

// Pop removes and returns the earliest deadline at or before now.
func (t *Table) Pop(now uint64) (Deadline, bool) {
	if len(t.heap) == 0 || t.heap[0].at > now {
		return Deadline{}, false
	}
	d := t.slots[t.heap[0].slot].what
	t.drop(0)
	return d, true
}

// drop removes the entry at a position of the heap and frees its slot.
func (t *Table) drop(i int) {
	if t.mark.Own() {
		t.copyContent()
	}
	s := t.heap[i].slot
	t.slots[s].generation++
	t.slots[s].what = Deadline{}
	t.free = append(t.free, s)
	last := len(t.heap) - 1
	moved := t.heap[last]
	t.heap = t.heap[:last]
	if i == last {
		return
	}
	t.place(i, moved)
	t.down(t.up(i))
}

func (t *Table) place(i int, k key) {
	t.heap[i] = k
	t.slots[k.slot].at = uint32(i)
}

func (t *Table) up(i int) int {
	k := t.heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !k.before(t.heap[parent]) {
			break
		}
		t.place(i, t.heap[parent])
		i = parent
	}
	t.place(i, k)
	return i
}

func (t *Table) down(i int) {
	k := t.heap[i]
	for {
		first := i*arity + 1
		if first >= len(t.heap) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(t.heap)); c++ {
			if t.heap[c].before(t.heap[least]) {
				least = c
			}
		}
		if !t.heap[least].before(k) {
			break
		}
		t.place(i, t.heap[least])
		i = least
	}
	t.place(i, k)
}
