package intercanister

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
)

// Archive writes or reads a reject.
func (r *Reject) Archive(c *archive.Coder) {
	archive.Number(c, &r.Code)
	archive.Number(c, &r.Error)
	archive.String(c, &r.Text, archive.MaxBytes)
	c.Bool(&r.HideErrorCode)
}

// ArchiveReject writes or reads a reject that may be nil.
func ArchiveReject(c *archive.Coder, r **Reject) {
	archive.Pointer(c, r, func(r *Reject) { r.Archive(c) })
}

// Archive writes or reads a response.
func (r *Response) Archive(c *archive.Coder) {
	c.Bytes(&r.Reply, archive.MaxBytes)
	ArchiveReject(c, &r.Reject)
	r.Refund.Archive(c)
}

// Archive writes or reads a request.
func (q *Request) Archive(c *archive.Coder) {
	archive.Number(c, &q.Call)
	c.Principal(&q.Sender)
	c.Principal(&q.Receiver)
	archive.String(c, &q.Method, archive.MaxBytes)
	c.Bytes(&q.Payload, archive.MaxBytes)
	q.Cycles.Archive(c)
	archive.Number(c, &q.Deadline)
	archive.Number(c, &q.Expiry)
}

// Archive writes or reads an input that was taken from a mailbox.
func (in *Input) Archive(c *archive.Coder) {
	archive.AtMost(c, &in.Source, SourceRequests)
	archive.AtMost(c, &in.Task, LowMemory)
	archive.Number(c, &in.Call)
	in.Response.Archive(c)
	archive.Number(c, &in.Ingress)
	in.Request.Archive(c)
}

// Archive writes or reads a closure.
func (f *Closure) Archive(c *archive.Coder) {
	archive.Number(c, &f.Fn)
	archive.Number(c, &f.Env)
}

// ArchiveInfo writes or reads what is attested of a user.
func ArchiveInfo(c *archive.Coder, info **SenderInfo) {
	archive.Pointer(c, info, func(s *SenderInfo) {
		c.Bytes(&s.Info, archive.MaxBytes)
		c.Principal(&s.Signer)
	})
}

// Archive writes or reads an origin.
func (o *Origin) Archive(c *archive.Coder) {
	c.Principal(&o.Caller)
	archive.Number(c, &o.Call)
	archive.Number(c, &o.Ingress)
	archive.Number(c, &o.Deadline)
	ArchiveInfo(c, &o.Info)
	archive.AtMost(c, &o.Kind, FromSystem)
	archive.AtMost(c, &o.Task, LowMemory)
}

// Archive writes the items of the queue in order, or reads them.
func (q *FIFO[T]) Archive(c *archive.Coder, each func(*T)) {
	n := q.Len()
	archive.AtMost(c, &n, archive.MaxItems)
	for i := 0; i < n && !c.Failed(); i++ {
		if c.Reading() {
			var zero T
			q.Push(zero)
		}
		each(q.At(i))
	}
}

// Archive writes the waiting messages, or reads them into the empty mailbox. The caller restores Owner, and adds the
// mailbox to the set of ready ones.
func (m *Mailbox) Archive(c *archive.Coder) {
	archive.Number(c, &m.Contexts)
	archive.Number(c, &m.Calls)
	c.Bool(&m.lastTask)
	c.Bool(&m.Blocked)
	m.arrivals.Archive(c, func(a *arrival) {
		archive.AtMost(c, &a.source, SourceRequests)
		if a.source == SourceRequests {
			c.Principal(&a.sender)
		}
	})
	m.tasks.Archive(c, func(t *Task) {
		archive.AtMost(c, t, LowMemory)
		c.Check(*t != NoTask, "a task is none")
	})
	m.responses.Archive(c, func(s *settled) {
		archive.Number(c, &s.call)
		c.Bool(&s.bounded)
		s.response.Archive(c)
	})
	m.ingress.Archive(c, func(number *uint64) { archive.Number(c, number) })
	m.archivePairs(c)
	if c.Reading() && !c.Failed() {
		c.Check(m.consistent(), "the messages in a mailbox are not those that have arrived")
	}
}

// archivePairs writes the pairs by the id of the other canister.
func (m *Mailbox) archivePairs(c *archive.Coder) {
	var others []principal.Principal
	for p := range m.pairs.all() { // sorted below: the order has no effect
		others = append(others, p.other)
	}
	slices.SortFunc(others, principal.Principal.Compare)
	archive.Slice(c, &others, archive.MaxItems, func(other *principal.Principal) {
		c.Principal(other)
		if c.Reading() && !c.Check(m.pairs.of(*other) == nil, "two pairs with %s", other) {
			return
		}
		p := m.pair(*other)
		archive.AtMost(c, &p.calls, QueueCapacity)
		archive.AtMost(c, &p.owed, QueueCapacity)
		p.requests.Archive(c, func(q *Request) {
			q.Archive(c)
			c.Check(q.Sender == *other, "a request of %s waits among those of %s", q.Sender, other)
		})
	})
}

// consistent reports whether there is exactly one message for every arrival.
func (m *Mailbox) consistent() bool {
	var counts [SourceRequests + 1]int
	requests := make(map[principal.Principal]int)
	for i := range m.arrivals.Len() {
		a := m.arrivals.At(i)
		counts[a.source]++
		if a.source == SourceRequests {
			requests[a.sender]++
		}
	}
	if counts[0] > 0 || counts[SourceTasks] != m.tasks.Len() || counts[SourceResponses] != m.responses.Len() || counts[SourceIngress] != m.ingress.Len() {
		return false
	}
	waiting := 0
	for p := range m.pairs.all() { // all must hold: the order has no effect
		if p.calls == 0 && p.owed == 0 && p.requests.Len() == 0 || requests[p.other] != p.requests.Len() {
			return false
		}
		waiting += p.requests.Len()
	}
	return waiting == counts[SourceRequests]
}

// Archive writes contexts and futures by their ids, or reads them into the empty call table.
func (l *CallTable) Archive(c *archive.Coder) {
	archive.AtMost(c, &l.lastContext, maxArchivedID)
	archive.AtMost(c, &l.lastCall, maxArchivedID)
	archiveSlab(c, &l.contexts, uint64(l.lastContext), func(id uint64, x *Context) { x.archive(c, ContextID(id)) })
	archiveSlab(c, &l.futures, uint64(l.lastCall), func(_ uint64, f *Future) { f.archive(c) })
}

// archiveSlab writes records by their ids, which increase up to the last.
func archiveSlab[T any](c *archive.Coder, s *slab[T], last uint64, each func(id uint64, value *T)) {
	var ids []uint64
	s.each(func(id uint64, _ *T) { ids = append(ids, id) })
	slices.Sort(ids)
	before := uint64(0)
	archive.Slice(c, &ids, archive.MaxItems, func(id *uint64) {
		archive.Number(c, id)
		if !c.Check(*id > before && *id <= last, "the id %d is not between %d and %d", *id, before, last) {
			return
		}
		before = *id
		if c.Reading() {
			s.add(*id)
		}
		each(*id, s.get(*id))
	})
}

func (c *Context) archive(a *archive.Coder, id ContextID) {
	if a.Reading() {
		c.ID = id
	}
	a.Principal(&c.Canister)
	c.Origin.Archive(a)
	archive.String(a, &c.Method, archive.MaxBytes)
	c.Available.Archive(a)
	archive.Number(a, &c.Instructions)
	archive.Number(a, &c.Opened)
	archive.Number(a, &c.Outstanding)
	a.Bool(&c.Responded)
	a.Bool(&c.Deleted)
}

func (f *Future) archive(c *archive.Coder) {
	archive.Number(c, &f.Context)
	archive.Number(c, &f.Deadline)
	archive.Number(c, &f.Expiry)
	f.Cycles.Archive(c)
	archive.Number(c, &f.execution)
	archive.Number(c, &f.transmission)
	for i := range f.functions {
		archive.Number(c, &f.functions[i])
		archive.Number(c, &f.environments[i])
	}
	c.Bool(&f.hasCleanup)
	c.Principal(&f.Owner)
	c.Principal(&f.Callee)
	archive.String(c, &f.Method, archive.MaxBytes)
	archive.AtMost(c, &f.State, Running)
	c.Check(f.State != 0, "a future has no state")
}

// Archive writes which of the mailboxes are in the next batch, or adds them to it. No batch may be in progress.
func (r *Ready) Archive(c *archive.Coder, boxes []*Mailbox) {
	for _, m := range boxes {
		queued := m.queued
		if c.Bool(&queued); queued && c.Reading() {
			m.queued = true
			r.next = append(r.next, m)
		}
	}
}
