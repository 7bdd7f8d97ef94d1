package intercanister

import (
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/intercanister/cycles"
)

// CallTable holds the call contexts and the futures of one subnet and assigns their ids. The zero value is an empty
// call table.
//
// It panics (a bug of its user) if a context or future does not exist or is not in the state that the step needs.
type CallTable struct {
	contexts    slab[Context]
	futures     slab[Future]
	lastContext ContextID
	lastCall    CallID
}

// Contexts returns the number of open contexts.
func (l *CallTable) Contexts() int { return l.contexts.live }

// Futures returns the number of registered futures.
func (l *CallTable) Futures() int { return l.futures.live }

// Open makes a call context in the canister of m. A context that the system opened needs no response.
func (l *CallTable) Open(m *Mailbox, origin Origin, attached cycles.Amount, now uint64) *Context {
	l.lastContext++
	c := l.contexts.add(uint64(l.lastContext))
	c.ID, c.Canister, c.Origin = l.lastContext, m.Owner, origin
	c.Available, c.Opened, c.Responded = attached, now, origin.Kind == FromSystem
	if c.Responded && !attached.IsZero() {
		panic("intercanister: cycles attached to a task")
	}
	m.Contexts++
	return c
}

// Context returns an open context, nil if there is none.
func (l *CallTable) Context(id ContextID) *Context { return l.contexts.get(uint64(id)) }

// Future returns a registered future, nil if there is none.
func (l *CallTable) Future(id CallID) *Future { return l.futures.get(uint64(id)) }

// Register makes a future of a call and takes a slot of the pair for it. The caller must have checked Mailbox.Room.
func (l *CallTable) Register(m *Mailbox, c *Call) (CallID, *Future) {
	context := l.mustContext(c.Context)
	if context.Canister != m.Owner || c.Owner != m.Owner {
		panic("intercanister: a call registered for the wrong canister")
	}
	context.Outstanding++
	m.Calls++
	m.reserveSlot(c.Callee)
	l.lastCall++
	f := l.futures.add(uint64(l.lastCall))
	f.fill(c)
	return l.lastCall, f
}

// Settle queues the callback of a waiting future. It returns false and does nothing if the call has ended or was
// settled before: a late answer.
func (l *CallTable) Settle(m *Mailbox, id CallID, response Response) bool {
	f := l.Future(id)
	if f == nil || f.State != Waiting {
		return false
	}
	f.State = Settled
	m.PushResponse(id, f.Deadline != 0, response)
	return true
}

// Begin marks the callback of a settled future as running and frees its slot of the pair.
func (l *CallTable) Begin(m *Mailbox, id CallID) (*Future, *Context) {
	f := l.Future(id)
	if f == nil || f.State != Settled {
		panic(fmt.Sprintf("intercanister: callback of call %d which is not settled", id))
	}
	f.State = Running
	m.freeSlot(f.Callee)
	return f, l.mustContext(f.Context)
}

// Release removes a future whose callback has run (or need not run).
func (l *CallTable) Release(m *Mailbox, id CallID) {
	f := l.Future(id)
	if f == nil || f.State != Running {
		panic(fmt.Sprintf("intercanister: call %d released before its callback began", id))
	}
	l.mustContext(f.Context).Outstanding--
	m.Calls--
	l.futures.remove(uint64(id))
}

// Respond answers a context of the canister of m: the cycles that are still available are refunded with the response,
// and the context cannot be answered again.
func (l *CallTable) Respond(m *Mailbox, c *Context) (refund cycles.Amount) {
	if c.Responded {
		panic(fmt.Sprintf("intercanister: context %d answered twice", c.ID))
	}
	if c.Origin.Kind == FromCanister {
		m.FreeRequestSlot(c.Origin.Caller)
	}
	refund, c.Available, c.Responded = c.Available, cycles.Amount{}, true
	return refund
}

// Close removes a context that has responded and has nothing outstanding. It reports whether it did.
func (l *CallTable) Close(m *Mailbox, c *Context) bool {
	if !c.Responded || c.Outstanding != 0 || c.Busy {
		return false
	}
	if !c.Available.IsZero() {
		panic(fmt.Sprintf("intercanister: context %d closed with %s cycles available", c.ID, c.Available))
	}
	m.Contexts--
	l.contexts.remove(uint64(c.ID))
	return true
}

// OpenContexts returns the ids of the contexts of one canister, in order. It takes time in proportion to the contexts
// of the subnet.
func (l *CallTable) OpenContexts(m *Mailbox) []ContextID {
	if m.Contexts == 0 {
		return nil
	}
	ids := make([]ContextID, 0, m.Contexts)
	l.contexts.each(func(id uint64, c *Context) {
		if c.Canister == m.Owner {
			ids = append(ids, ContextID(id))
		}
	})
	slices.Sort(ids)
	return ids
}

// Calls returns the ids of all registered futures, in order.
func (l *CallTable) Calls() []CallID {
	ids := make([]CallID, 0, l.futures.live)
	l.futures.each(func(id uint64, _ *Future) { ids = append(ids, CallID(id)) })
	slices.Sort(ids)
	return ids
}

func (l *CallTable) mustContext(id ContextID) *Context {
	c := l.Context(id)
	if c == nil {
		panic(fmt.Sprintf("intercanister: there is no context %d", id))
	}
	return c
}
