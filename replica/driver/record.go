package driver

import (
	"cmp"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/replica"
)

// recorder keeps the newest events of a network: a ring of chunks, which allocates memory as events come. A chunk with
// readers is not overwritten, so readers delay the owner only while they find their chunk.
type recorder struct {
	maxEvents, maxBytes int
	clock               func() int64 // nil: events are recorded without the time of the wall clock
	memory              *budget.Budget
	shared              *EventMemory // nil: none

	held atomic.Int64 // bytes that the chunks take, with room for events to come; changes with mu held

	mu         sync.Mutex // guards the fields below
	generation uint64     // of these events
	chunks     []*chunk   // the oldest first
	next       uint64     // number of the next event; they count from 1
	events     int        // recorded
	bytes      int        // of the events
	owed       int        // bytes of the newest chunk that held does not have yet: counting them for each event costs too much
	readers    int
	spare      *chunk // cleared, for reuse
	closed     bool   // there are no more events
	freed      bool   // events are not counted any more
	joined     bool   // shared counts held
	waited     atomic.Bool
	happened   chan struct{} // closed when readers must look; nil without waiters
}

// chunk is a sequence of consecutive events.
type chunk struct {
	first    uint64          // number of its first event
	bytes    int             // of its events
	held     int             // bytes that it takes: room for events and payloads, and texts
	events   []replica.Event // never moved
	at       []int64         // when each was recorded, by the recorder's clock; empty without one
	payloads []byte          // room for payloads of the next events; earlier events point into earlier parts
}

// keep copies a payload that is small enough to be shown. It returns how many bytes it has allocated.
func (c *chunk) keep(payload []byte) (kept []byte, allocated int) {
	if len(payload) == 0 || len(payload) > MaxPayload {
		return nil, 0
	}
	if len(payload) > len(c.payloads) {
		allocated = max(len(payload), payloadRoom*(cap(c.events)-len(c.events)))
		c.payloads = make([]byte, allocated)
	}
	kept = c.payloads[:copy(c.payloads, payload):len(payload)]
	c.payloads = c.payloads[len(payload):]
	return kept, allocated
}

// eventBytes is the size of an event, without its texts.
const eventBytes = int(unsafe.Sizeof(replica.Event{}))

func (r *recorder) init(config *Config) {
	r.maxEvents, r.maxBytes = cmp.Or(config.Events, MaxEvents), cmp.Or(config.EventBytes, MaxEventBytes)
	r.next, r.generation, r.clock = 1, config.Generation, config.Clock
	r.memory, r.shared = config.Memory, config.EventMemory
}

// restart forgets everything and begins another generation: in another network, ids of contexts and calls mean
// something else.
func (r *recorder) restart() {
	r.mu.Lock()
	r.chunks, r.events, r.bytes, r.spare, r.owed = nil, 0, 0, nil, 0
	r.hold(-int(r.held.Load()))
	r.next = 1
	r.generation++
	r.mu.Unlock()
	r.wake()
}

// Event records an event. wake notifies its waiters.
func (r *recorder) Event(e *replica.Event) {
	r.record(e)
	r.shared.keepWithinLimit()
}

func (r *recorder) record(e *replica.Event) {
	texts := len(e.Method) + len(e.Text) + len(e.Callers)*int(unsafe.Sizeof(replica.Caller{}))
	if e.Reject != nil {
		texts += len(e.Reject.Text)
	}
	size := eventBytes + texts
	if len(e.Payload) <= MaxPayload {
		size += len(e.Payload)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	c := r.room(size)
	payload, allocated := c.keep(e.Payload)
	c.events = append(c.events, *e)
	c.events[len(c.events)-1].Payload = payload
	if r.clock != nil {
		c.at = append(c.at, r.clock())
	}
	c.held += texts + allocated
	if r.owed += texts + allocated; r.owed >= holdStep {
		r.settle()
	}
	c.bytes += size
	r.next++
	r.events++
	r.bytes += size
	for len(r.chunks) > 1 && (r.events > r.maxEvents || r.bytes > r.maxBytes) {
		r.forget()
	}
}

// room returns the chunk for the next event. Chunks are small at first, and close early if their events are large: they
// are forgotten as a whole.
func (r *recorder) room(size int) *chunk {
	if n := len(r.chunks); n > 0 {
		c := r.chunks[n-1]
		if len(c.events) < cap(c.events) && (len(c.events) == 0 || c.bytes+size <= r.maxBytes/chunksPerRing) {
			return c
		}
	}
	r.settle()
	c := r.spare
	if r.spare = nil; c == nil {
		c = r.newChunk(min(r.largest(), max(minChunk, r.events)))
	}
	c.first = r.next
	r.chunks = append(r.chunks, c)
	return c
}

// forget drops the oldest chunk.
func (r *recorder) forget() {
	c := r.chunks[0]
	copy(r.chunks, r.chunks[1:])
	r.chunks[len(r.chunks)-1] = nil
	r.chunks = r.chunks[:len(r.chunks)-1]
	r.events -= len(c.events)
	r.bytes -= c.bytes
	r.hold(-c.held)
	if r.spare == nil && r.readers == 0 && cap(c.events) == r.largest() {
		clear(c.events)
		*c = chunk{events: c.events[:0], at: c.at[:0], held: r.slots(cap(c.events))} // payloads that were read may still be in use
		r.spare = c
		r.hold(c.held)
	}
}

// dropSpare frees the chunk that is kept for reuse.
func (r *recorder) dropSpare() {
	if r.spare != nil {
		r.hold(-r.spare.held)
		r.spare = nil
	}
}

// shrink forgets the oldest events, up to a number of bytes, but keeps minRingBytes.
func (r *recorder) shrink(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for least := max(r.bytes-bytes, minRingBytes); len(r.chunks) > 1 && r.bytes > least; {
		r.forget()
	}
	r.dropSpare()
}

// first returns the number of the oldest event, or of the next one if there is none.
func (r *recorder) first() uint64 {
	if len(r.chunks) == 0 {
		return r.next
	}
	return r.chunks[0].first
}

// signed records that a height was signed, on the goroutine of the caller that requested it.
func (r *recorder) signed(subnet principal.Principal, height, time uint64) {
	r.Event(&replica.Event{Kind: replica.Certified, Subnet: subnet, Height: height, Time: time})
	r.wake()
}

// wake wakes readers that wait for events.
func (r *recorder) wake() {
	if !r.waited.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited.Store(false)
	if r.happened != nil {
		close(r.happened)
		r.happened = nil
	}
}

// wait returns the channel that the next wake closes. r.mu is held.
func (r *recorder) wait() <-chan struct{} {
	if r.happened == nil {
		r.happened = make(chan struct{})
		r.waited.Store(true)
	}
	return r.happened
}

// close tells readers that there are no more events. Those that there are can still be read, and are forgotten where
// other drivers need their memory, until free.
func (r *recorder) close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		r.settle()
	}
	r.mu.Unlock()
	r.wake()
}

// free ends the counting of events: the budget may be closed from then on.
func (r *recorder) free() {
	r.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.freed {
		r.freed = true
		r.leave()
	}
}

// run is a sequence of consecutive events with their times of recording; at is empty without a clock.
type run struct {
	events []replica.Event
	at     []int64
}

// pop removes the first event.
func (b *run) pop() (e *replica.Event, at int64) {
	e, b.events = &b.events[0], b.events[1:]
	if len(b.at) > 0 {
		at, b.at = b.at[0], b.at[1:]
	}
	return e, at
}

// read returns a run of events of a generation from a number on. If there are none yet, it returns the channel to wait
// for: nil if no more will come. why is not nil if the place was dropped; first is then the number of the oldest event.
func (r *recorder) read(generation, from uint64) (events run, wait <-chan struct{}, first uint64, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch first = r.first(); {
	case generation != r.generation:
		return run{}, nil, first, ErrOtherGeneration
	case from < first:
		return run{}, nil, first, ErrBehind
	}
	for i := len(r.chunks) - 1; i >= 0; i-- {
		if c := r.chunks[i]; from >= c.first {
			begin := min(from-c.first, uint64(len(c.events)))
			if events = (run{events: c.events[begin:]}); len(c.at) > 0 {
				events.at = c.at[begin:]
			}
			if len(events.events) > 0 {
				return events, nil, first, nil
			}
			break
		}
	}
	if r.closed {
		return run{}, nil, first, nil
	}
	return run{}, r.wait(), first, nil
}
