package trace

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Builder makes a tree from events.
type Builder struct {
	members  *Members
	root     *Call
	contexts map[member]*Call
	calls    map[member]*Call
	top      member // the call that opened the root's context, if it is requested
	arriving *Call  // the root, until something happens after its arrival
	order    int
}

// NewBuilder begins a tree.
func NewBuilder(root Root) *Builder {
	return &Builder{members: NewMembers(root), contexts: make(map[member]*Call), calls: make(map[member]*Call)}
}

// Build returns the tree of recorded events, the oldest first.
func Build(root Root, events []replica.Event) *Tree {
	b := NewBuilder(root)
	if root.Context != 0 {
		b.look(root, events)
	}
	for i := range events {
		b.Add(&events[i])
	}
	return b.Tree()
}

// look finds the opener of the root context, so that its message or call belongs to the tree.
func (b *Builder) look(root Root, events []replica.Event) {
	for i := range events {
		e := &events[i]
		if e.Context != root.Context || e.Subnet != root.Subnet || e.Origin.Kind == 0 {
			continue
		}
		if b.members.root.Request = e.Request; e.Origin.Kind == intercanister.FromCanister {
			b.top = member{e.Origin.Caller, uint64(e.Origin.Call), true}
			b.members.add(b.top)
		}
		return
	}
}

// Add adds the next event, whatever tree it belongs to.
func (b *Builder) Add(e *replica.Event) {
	b.arrive(e)
	if !b.members.Take(e) {
		return
	}
	b.order++
	switch e.Kind {
	case replica.IngressReceived:
		c := b.callOf(e)
		c.Begun, c.ArgBytes, c.Arg = b.point(e), e.Bytes, e.Payload
		b.arriving = c
	case replica.IngressAnswered:
		b.answer(b.callOf(e), e)
	case replica.MessageParked:
		x := b.execution(e)
		x.Parked, x.WaitsUntil = b.point(e), e.Deadline
	case replica.MessageExecuted, replica.CodeInstalled:
		b.ran(e)
	case replica.Trapped:
		b.execution(e).Backtrace = e.Functions()
	case replica.Logged:
		x := b.last(b.callOf(e))
		x.Logs = append(x.Logs, Note{At: b.point(e), Text: e.Text})
	case replica.CallRegistered:
		b.registered(e)
	case replica.CallSettled:
		b.answer(b.made(e), e)
	default:
		c := b.callOf(e)
		c.Notes = append(c.Notes, Note{At: b.point(e), Text: describeEvent(e), Reject: e.Reject})
	}
}

// arrive sets the time at which the root arrived. The network's time stands still between rounds, so the event of the
// arrival has the time of the round before, which may be long ago. The first event of a later round has the time that
// counts, whatever tree it belongs to.
func (b *Builder) arrive(e *replica.Event) {
	c := b.arriving
	if c == nil || e.Height == c.Begun.Height {
		return
	}
	if b.arriving = nil; !c.Answered() && len(c.Executions) == 0 {
		c.Begun.Time = e.Time
	}
}

func (b *Builder) point(e *replica.Event) Point {
	return Point{replica.Moment{Height: e.Height, Time: e.Time}, b.order}
}

// callOf returns the call of an event, and makes one if none is known.
func (b *Builder) callOf(e *replica.Event) *Call {
	c := b.find(e)
	if c == nil {
		c = b.unknown(e)
	}
	if e.Context != 0 && c.Context == 0 {
		c.Context, c.Subnet = e.Context, e.Subnet
		b.contexts[contextOf(e)] = c
	}
	return c
}

// find returns the call whose context an event names, or that the event itself is about.
func (b *Builder) find(e *replica.Event) *Call {
	switch {
	case e.Context != 0 && b.contexts[contextOf(e)] != nil:
		return b.contexts[contextOf(e)]
	case e.Context != 0 && e.Origin.Kind == intercanister.FromCanister:
		return b.calls[member{e.Origin.Caller, uint64(e.Origin.Call), true}]
	case e.Context == 0 && e.Call != 0:
		return b.calls[callOf(e)]
	case b.root != nil && e.Request != (replica.RequestID{}) && e.Request == b.root.Request:
		return b.root
	}
	return nil
}

// unknown makes a call whose first event this is: the root, or one whose beginning is not recorded.
func (b *Builder) unknown(e *replica.Event) *Call {
	c := &Call{Source: intercanister.SourceIngress, Canister: e.Canister, Subnet: e.Subnet, Method: e.Method, Request: e.Request, Caller: e.Origin.Caller}
	switch e.Origin.Kind {
	case intercanister.FromSystem:
		c.Source, c.Task = intercanister.SourceTasks, e.Task
		if e.Source == intercanister.SourceTasks {
			c.Begun = Point{e.Began, b.order}
		}
	case intercanister.FromCanister:
		c.Source, c.Number = intercanister.SourceRequests, e.Origin.Call
		b.calls[member{e.Origin.Caller, uint64(e.Origin.Call), true}] = c
	}
	if b.root == nil {
		b.root = c
	}
	return c
}

// execution returns the message of an event: the paused one, or the last that ran, or a new one.
func (b *Builder) execution(e *replica.Event) *Execution {
	c := b.callOf(e)
	if n := len(c.Executions); n > 0 {
		x := c.Executions[n-1]
		if e.Kind == replica.Trapped || x.Parked.Recorded() && !x.Ended.Recorded() {
			return x
		}
	}
	x := &Execution{Entry: e.Entry, Begun: e.Began}
	if e.Source == intercanister.SourceResponses {
		x.Answers, x.AnswersNumber = b.calls[callOf(e)], e.Call
	}
	c.Executions = append(c.Executions, x)
	return x
}

func (b *Builder) ran(e *replica.Event) {
	x := b.execution(e)
	x.Ended, x.Trap, x.CleanupRan = b.point(e), e.Reject, e.CleanupRan
	x.Instructions, x.Cycles, x.DirtyPages, x.Wall = e.Instructions, e.Cycles, e.DirtyPages, e.Wall
	x.Heap, x.Stable = e.Heap, e.Stable
}

// last returns the execution that caused what happens now.
func (b *Builder) last(c *Call) *Execution {
	if n := len(c.Executions); n > 0 {
		return c.Executions[n-1]
	}
	x := &Execution{Unrecorded: true}
	c.Executions = append(c.Executions, x)
	return x
}

// registered adds a call under its maker.
func (b *Builder) registered(e *replica.Event) {
	c := b.made(e)
	c.Begun, c.Method, c.Reentrant = b.point(e), e.Method, e.Reentrant
	c.Attached, c.Deadline, c.ArgBytes, c.Arg = e.Cycles, e.Deadline, e.Bytes, e.Payload
}

// made returns the call that a context has made.
func (b *Builder) made(e *replica.Event) *Call {
	if c := b.calls[callOf(e)]; c != nil {
		return c
	}
	c := &Call{Source: intercanister.SourceRequests, Caller: e.Canister, Canister: e.Peer, Number: e.Call}
	b.calls[callOf(e)] = c
	if callOf(e) == b.top {
		b.root = c
		return c
	}
	x := b.last(b.maker(e))
	x.Calls = append(x.Calls, c)
	return c
}

// maker returns the call whose context makes a call.
func (b *Builder) maker(e *replica.Event) *Call {
	of := *e
	of.Call = 0
	if e.Kind == replica.CallRegistered {
		of.Method = "" // the method is the callee's
	}
	return b.callOf(&of)
}

func (b *Builder) answer(c *Call, e *replica.Event) {
	c.Ended, c.Reject = b.point(e), e.Reject
	if e.Kind == replica.CallSettled {
		c.Refunded = e.Cycles
	}
	if e.Reject == nil {
		c.ReplyBytes, c.Reply = e.Bytes, e.Payload
	}
}
