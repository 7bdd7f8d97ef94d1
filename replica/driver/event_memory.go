package driver

import (
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/replica"
)

// EventMemory bounds the bytes of the events that several drivers remember. Where they take more, the oldest events of
// the driver that keeps most are forgotten: drivers with few events lose none to drivers with many. Nil has no bound.
// Safe for concurrent use.
type EventMemory struct {
	limit   int64
	used    atomic.Int64
	drivers atomic.Int64 // that keep events

	mu    sync.Mutex // guards rings
	rings []*recorder
}

// NewEventMemory makes the bound of a number of bytes.
func NewEventMemory(limit int64) *EventMemory { return &EventMemory{limit: limit} }

// Used returns how many bytes the events of all drivers take, with the room for events to come.
func (m *EventMemory) Used() int64 { return m.used.Load() }

// keepWithinLimit forgets events above the limit.
func (m *EventMemory) keepWithinLimit() {
	if m != nil && m.used.Load() > m.limit {
		m.forgetTo(m.limit)
	}
}

// forget forgets a number of bytes of events, but keeps a part of them.
func (m *EventMemory) forget(bytes int64) {
	if m != nil && bytes > 0 {
		m.forgetTo(max(m.used.Load()-bytes, m.limit/leastEventShare))
	}
}

func (m *EventMemory) forgetTo(most int64) {
	for m.used.Load() > most {
		if r := m.largest(); r == nil || !r.forgetOldest() {
			return
		}
	}
}

// largest returns the ring that takes most.
func (m *EventMemory) largest() (largest *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	most := int64(0)
	for _, r := range m.rings {
		if held := r.held.Load(); held > most {
			largest, most = r, held
		}
	}
	return largest
}

// forgetOldest forgets the oldest chunk, also if it is the only one. It returns false if there is none.
func (r *recorder) forgetOldest() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed || len(r.chunks) == 0 && r.spare == nil {
		return false
	}
	r.dropSpare()
	r.settle()
	if len(r.chunks) > 0 {
		r.forget()
		r.dropSpare()
	}
	return true
}

// hold counts bytes that the chunks take, or take no longer. r.mu is held.
func (r *recorder) hold(bytes int) {
	if bytes == 0 {
		return
	}
	r.held.Add(int64(bytes))
	r.memory.Charge(int64(bytes))
	if r.shared == nil {
		return
	}
	if !r.joined {
		r.joined = true
		r.shared.join(r)
	}
	r.shared.used.Add(int64(bytes))
}

// settle counts what is not counted yet. r.mu is held.
func (r *recorder) settle() {
	r.hold(r.owed)
	r.owed = 0
}

func (m *EventMemory) join(r *recorder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rings = append(m.rings, r)
	m.drivers.Store(int64(len(m.rings)))
}

// leave ends the part of a ring in the shared memory: its events stay until its driver is gone. r.mu is held.
func (r *recorder) leave() {
	m := r.shared
	if m == nil || !r.joined {
		return
	}
	m.used.Add(-r.held.Load())
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, other := range m.rings {
		if other == r {
			last := len(m.rings) - 1
			m.rings[i], m.rings[last] = m.rings[last], nil
			m.rings = m.rings[:last]
			break
		}
	}
	m.drivers.Store(int64(len(m.rings)))
}

// largest returns how many events a chunk of a full ring has: a ring has several chunks, also in its fair part of a
// memory that many share.
func (r *recorder) largest() int {
	most := min(maxChunk, r.maxEvents/chunksPerRing, r.maxBytes/chunksPerRing/eventBytes)
	if r.shared != nil {
		fair := r.shared.limit / max(1, r.shared.drivers.Load())
		most = min(most, max(minChunk, int(fair/fairChunks)/eventBytes))
	}
	return max(1, most)
}

// slots returns how many bytes the room for some events takes, without their texts.
func (r *recorder) slots(events int) int {
	if r.clock != nil {
		return events * (eventBytes + 8)
	}
	return events * eventBytes
}

// newChunk makes a chunk for some events.
func (r *recorder) newChunk(events int) *chunk {
	c := &chunk{events: make([]replica.Event, 0, events), held: r.slots(events)}
	if r.clock != nil {
		c.at = make([]int64, 0, events)
	}
	r.hold(c.held)
	return c
}
