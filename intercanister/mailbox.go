package intercanister

import (
	"github.com/canisterd/canisterd/candid/principal"
)

// Source is the origin of the messages in one queue of a mailbox.
type Source uint8

const (
	SourceTasks     Source = iota + 1 // the system
	SourceResponses                   // answers to the canister's own calls
	SourceIngress                     // users
	SourceRequests                    // one other canister
)

// Input is one message for a canister; the source determines which fields are used.
type Input struct {
	Source   Source
	Task     Task
	Call     CallID // SourceResponses: the future the response settled
	Response Response
	Ingress  uint64 // SourceIngress: number in the ingress history
	Request  Request
}

type settled struct {
	call     CallID
	bounded  bool // of a best-effort call
	response Response
}

// arrival is one entry in the order of arrival: it stands for the next message of its source that was not taken.
type arrival struct {
	source Source
	sender principal.Principal // SourceRequests
}

// Mailbox holds everything that waits for one canister. Messages are taken in the order in which they came, tasks
// first. Taking the first and receiving another commute, so that the messages of a batch are independent of each other.
type Mailbox struct {
	Owner     principal.Principal
	Contexts  uint32 // open contexts, deleted ones included
	Calls     uint32 // registered futures of the canister
	arrivals  FIFO[arrival]
	tasks     FIFO[Task]
	responses FIFO[settled]
	ingress   FIFO[uint64]
	pairs     pairs
	spare     *pair // list of retired pairs, for later use
	spares    uint8 // how many, at most sparePairs
	lastTask  bool  // the message taken last was a task
	Blocked   bool  // no message may be taken: one is running, or the canister was deleted
	Resume    bool  // the next slice of a message that began earlier may run
	queued    bool  // in the ready set
}

// ready reports whether the canister has something to run.
func (m *Mailbox) ready() bool { return m.Resume || !m.Blocked && m.Len() > 0 }

// Len returns the number of waiting messages.
func (m *Mailbox) Len() int { return m.arrivals.Len() }

// Responses returns the number of waiting responses.
func (m *Mailbox) Responses() int { return m.responses.Len() }

// Requests returns the number of waiting requests of one sender.
func (m *Mailbox) Requests(sender principal.Principal) int {
	if p := m.pairs.of(sender); p != nil {
		return p.requests.Len()
	}
	return 0
}

// Room returns how many more calls the canister may make to callee.
func (m *Mailbox) Room(callee principal.Principal) int {
	if p := m.pairs.of(callee); p != nil {
		return QueueCapacity - int(p.calls)
	}
	return QueueCapacity
}

func (m *Mailbox) pair(other principal.Principal) *pair {
	if p := m.pairs.of(other); p != nil {
		return p
	}
	p := m.spare
	if p != nil {
		m.spare, p.next = p.next, nil
		m.spares--
	} else {
		p = new(pair)
	}
	p.other = other
	m.pairs.add(p)
	return p
}

// retire removes a pair without messages or calls, or keeps it for another canister.
func (m *Mailbox) retire(p *pair) {
	if p.calls != 0 || p.owed != 0 || p.requests.Len() != 0 {
		return
	}
	m.pairs.remove(p)
	if m.spares < sparePairs {
		m.spare, p.next = p, m.spare
		m.spares++
	}
}

func (m *Mailbox) reserveSlot(callee principal.Principal) {
	p := m.pair(callee)
	if p.calls == QueueCapacity {
		panic("intercanister: more calls to " + callee.String() + " than a queue holds")
	}
	p.calls++
}

func (m *Mailbox) freeSlot(callee principal.Principal) {
	p := m.pairs.of(callee)
	if p == nil || p.calls == 0 {
		panic("intercanister: a call to " + callee.String() + " ended that never began")
	}
	p.calls--
	m.retire(p)
}

// PushTask queues a task before all messages, after earlier tasks; the low-memory hook goes before all tasks. A waiting
// task is not queued again. If the canister's last message was a task, heartbeats and timers let one message go first:
// a canister whose heartbeat takes longer than the time between two heartbeats must not starve its callers.
func (m *Mailbox) PushTask(t Task) {
	for i := range m.tasks.Len() {
		if *m.tasks.At(i) == t {
			return
		}
	}
	yields := m.lastTask && t != LowMemory && m.arrivals.Len() > 0 && m.arrivals.At(0).source != SourceTasks
	var first arrival
	if yields {
		first = m.arrivals.Pop()
	}
	m.arrivals.PushFront(arrival{source: SourceTasks})
	if yields {
		m.arrivals.PushFront(first)
	}
	if t == LowMemory {
		m.tasks.PushFront(t)
	} else {
		m.tasks.Push(t)
	}
}

// PushResponse queues the callback of a settled future; bounded means a callback of a best-effort call. Futures
// guarantee that there is room.
func (m *Mailbox) PushResponse(call CallID, bounded bool, response Response) {
	m.arrivals.Extend().source = SourceResponses
	m.responses.Push(settled{call, bounded, response})
}

// PushIngress queues an ingress message.
func (m *Mailbox) PushIngress(number uint64) {
	m.arrivals.Extend().source = SourceIngress
	m.ingress.Push(number)
}

// PushRequest queues a request and reserves a slot for its response. It returns false if the queues of the pair have no
// room.
func (m *Mailbox) PushRequest(r *Request) bool {
	p := m.pair(r.Sender)
	if p.requests.Len()+int(p.owed) >= QueueCapacity {
		return false
	}
	a := m.arrivals.Extend()
	a.source, a.sender = SourceRequests, r.Sender
	p.requests.Push(*r)
	return true
}

// FreeRequestSlot frees the slot of a popped request of sender after it was answered, or if it never will be.
func (m *Mailbox) FreeRequestSlot(sender principal.Principal) {
	p := m.pairs.of(sender)
	if p == nil || p.owed == 0 {
		panic("intercanister: a request of " + sender.String() + " was answered that was not taken")
	}
	p.owed--
	m.retire(p)
}

// Pop takes the next message into in. It returns false if none waits. The caller that takes a request answers it
// (FreeRequestSlot).
func (m *Mailbox) Pop(in *Input) bool {
	if m.arrivals.Len() == 0 {
		return false
	}
	m.popAt(0, 0, in)
	return true
}

// popAt removes the message at a position in the order of arrival; depth of those before it have the same source.
func (m *Mailbox) popAt(position, depth int, in *Input) {
	a := m.arrivals.At(position)
	*in = Input{}
	in.Source = a.source
	m.lastTask = a.source == SourceTasks
	switch a.source {
	case SourceTasks:
		in.Task = *m.tasks.At(depth)
		m.tasks.Remove(depth)
	case SourceResponses:
		s := m.responses.At(depth)
		in.Call, in.Response = s.call, s.response
		m.responses.Remove(depth)
	case SourceIngress:
		in.Ingress = *m.ingress.At(depth)
		m.ingress.Remove(depth)
	case SourceRequests:
		p := m.pairs.of(a.sender)
		in.Request = *p.requests.At(depth)
		p.requests.Remove(depth)
		p.owed++
	}
	m.arrivals.Remove(position)
}

// DropIngress removes an ingress message that will not be executed. It returns false if the message does not wait.
func (m *Mailbox) DropIngress(number uint64) bool {
	depth := 0
	for i := range m.arrivals.Len() {
		if m.arrivals.At(i).source != SourceIngress {
			continue
		}
		if *m.ingress.At(depth) == number {
			var in Input
			m.popAt(i, depth, &in)
			return true
		}
		depth++
	}
	return false
}
