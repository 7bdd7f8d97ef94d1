package introspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Lists of what is in flight, for people: they change nothing, have a fixed order, and take time in proportion to
// everything that is open.

// Page is a part of a list: what follows After, at most Limit (MaxListed, if it is 0 or more than that), of one
// canister if Canister is given.
type Page struct {
	After    Cursor
	Limit    int
	Canister *principal.Principal
}

// Cursor is a place in a list; the zero value is before the first entry. Its meaning depends on the list: it is valid
// only for the list from which it came.
type Cursor struct {
	At     uint64
	Subnet int
	ID     uint64
}

func (c Cursor) compare(o Cursor) int {
	return cmp.Or(cmp.Compare(c.At, o.At), cmp.Compare(c.Subnet, o.Subnet), cmp.Compare(c.ID, o.ID))
}

// lister collects a page of a list whose entries come in the order of their cursors.
type lister[T any] struct {
	page Page
	all  []T
	last Cursor
	more bool
}

func list[T any](page Page) *lister[T] {
	if page.Limit <= 0 || page.Limit > MaxListed {
		page.Limit = MaxListed
	}
	return &lister[T]{page: page}
}

// wants reports whether an entry at a cursor about a canister is on the page.
func (l *lister[T]) wants(at Cursor, canister principal.Principal) bool {
	if at.compare(l.page.After) <= 0 || l.page.Canister != nil && *l.page.Canister != canister {
		return false
	}
	l.more = l.more || len(l.all) == l.page.Limit
	return len(l.all) < l.page.Limit
}

func (l *lister[T]) add(at Cursor, entry T) { l.all, l.last = append(l.all, entry), at }

// result returns the page, and where the next one begins; nil after the last.
func (l *lister[T]) result() ([]T, *Cursor) {
	if !l.more {
		return l.all, nil
	}
	return l.all, &l.last
}

// CallRef identifies a registered future: a call of a canister of a subnet.
type CallRef struct {
	Subnet principal.Principal
	Call   intercanister.CallID
}

// OpenContext is a call context.
type OpenContext struct {
	Subnet       principal.Principal
	ID           intercanister.ContextID
	Canister     principal.Principal
	Method       string // of a task, the function that is exported
	Origin       intercanister.OriginKind
	Sender       principal.Principal // the user, or the calling canister; empty for a task
	Request      state.RequestID     // FromIngress
	Call         CallRef             // FromCanister
	Task         intercanister.Task  // FromSystem
	Opened       uint64              // ns
	Deadline     uint64              // ns; 0 for none
	Instructions uint64              // of all its messages so far
	Available    cycles.Amount       // attached, and neither accepted nor refunded
	Responded    bool
	Deleted      bool      // the code that opened it was removed
	Awaits       []CallRef // its calls whose callbacks have not run
	Deadlocked   bool      // it waits for itself, through others or stop_canister
}

// Contexts returns the open call contexts by subnet and id.
func (n *Network) Contexts(page Page) ([]OpenContext, *Cursor) {
	l := list[OpenContext](page)
	deadlocks := n.deadlockCycles()
	for i, m := range n.Subnets {
		awaits := m.awaits()
		m.Calls.EachContext(func(c *intercanister.Context) {
			if at := (Cursor{Subnet: i, ID: uint64(c.ID)}); l.wants(at, c.Canister) {
				open := m.describe(c, awaits[c.ID])
				open.Deadlocked = deadlocks.context(i, c.ID)
				l.add(at, open)
			}
		})
	}
	return l.result()
}

// awaits returns the registered futures of every context, in the order of their ids.
func (m *Subnet) awaits() map[intercanister.ContextID][]CallRef {
	all := make(map[intercanister.ContextID][]CallRef)
	m.Calls.EachFuture(func(id intercanister.CallID, f *intercanister.Future) {
		all[f.Context] = append(all[f.Context], CallRef{m.ID, id})
	})
	return all
}

func (m *Subnet) describe(c *intercanister.Context, awaits []CallRef) OpenContext {
	open := OpenContext{
		Subnet: m.ID, ID: c.ID, Canister: c.Canister, Method: c.Method, Origin: c.Origin.Kind, Sender: c.Origin.Caller, Task: c.Origin.Task, Opened: c.Opened,
		Deadline: c.Origin.Deadline, Instructions: c.Instructions, Available: c.Available, Responded: c.Responded, Deleted: c.Deleted, Awaits: awaits,
	}
	switch c.Origin.Kind {
	case intercanister.FromIngress:
		if !c.Responded { // otherwise another may have its number
			open.Request = m.History.At(c.Origin.Ingress).ID
		}
	case intercanister.FromCanister:
		if position := m.net.Find(c.Origin.Caller); position >= 0 {
			open.Call = CallRef{m.net.Subnets[position].ID, c.Origin.Call}
		}
	default:
		open.Method = c.Origin.Task.String()
	}
	return open
}

// OpenFuture is a call of a canister that waits for its callback.
type OpenFuture struct {
	CallRef
	Context    intercanister.ContextID
	Caller     principal.Principal
	Callee     principal.Principal // as the caller named it
	Method     string
	Deadline   uint64        // ns; 0 for a call with guaranteed response
	Attached   cycles.Amount // to the request
	Prepaid    cycles.Amount // for callback and response
	Waits      Waiting
	Deadlocked bool // it waits for itself, through others or stop_canister
	Circular   bool // caller and callee wait for each other, directly or through others: not a deadlock, because canisters can be re-entered
}

// Waiting is what something waits for.
type Waiting struct {
	Reason   WaitReason
	Text     string                  // for people
	Rule     uint64                  // WaitHeld
	Held     uint64                  // WaitHeld
	Position int                     // WaitQueued: messages before it
	Subnet   principal.Principal     // that has it
	Context  intercanister.ContextID // of the callee, on Subnet
	Awaits   []CallRef               // WaitAwaiting
	Outcall  uint64                  // WaitOutcall
}

// Futures returns the registered futures by subnet and id.
func (n *Network) Futures(page Page) ([]OpenFuture, *Cursor) {
	l := list[OpenFuture](page)
	where, deadlocks := n.CallLocations(), n.deadlockCycles()
	awaits := make([]map[intercanister.ContextID][]CallRef, len(n.Subnets))
	for i, m := range n.Subnets {
		awaits[i] = m.awaits()
	}
	for i, m := range n.Subnets {
		m.Calls.EachFuture(func(id intercanister.CallID, f *intercanister.Future) {
			at := Cursor{Subnet: i, ID: uint64(id)}
			if !l.wants(at, f.Owner) {
				return
			}
			open := OpenFuture{
				CallRef: CallRef{m.ID, id}, Context: f.Context, Caller: f.Owner, Callee: f.Callee, Method: f.Method, Deadline: f.Deadline,
				Attached: f.Cycles, Prepaid: f.Execution().Add(f.Transmission()),
				Deadlocked: deadlocks.context(i, f.Context), Circular: deadlocks.circular(f),
			}
			switch f.State {
			case intercanister.Waiting:
				open.Waits = n.waiting(where.Of(i, id, f.Owner), awaits)
			case intercanister.Settled:
				open.Waits = Waiting{Reason: WaitResponseQueued, Subnet: m.ID, Text: "the answer is there: its callback waits for canister " + f.Owner.String()}
			default:
				open.Waits = Waiting{Reason: WaitExecuting, Subnet: m.ID, Text: "the callback is in the middle of its code", Context: f.Context}
			}
			l.add(at, open)
		})
	}
	return l.result()
}

// waiting describes where a call is.
func (n *Network) waiting(at Location, awaits []map[intercanister.ContextID][]CallRef) Waiting {
	w := Waiting{Reason: at.Reason, Text: at.text, Position: at.position, Subnet: at.Subnet.ID, Context: at.context, Outcall: at.number}
	switch {
	case at.Held != nil:
		w.Rule, w.Held = at.Held.Rule, at.Held.ID
		if at.Held.Behind != 0 {
			w.Text = fmt.Sprintf("the request waits behind held message %d", at.Held.Behind)
		}
	case at.Reason == WaitQueued:
		_, why := at.Subnet.blocked(at.Box, at.position)
		w.Text = "the request is in the queue: " + why
	case at.Reason == WaitAwaiting:
		w.Awaits = awaits[at.Subnet.Position][at.context]
	}
	return w
}

// QueuedMessage is a message in a queue.
type QueuedMessage struct {
	Subnet   principal.Principal
	Canister principal.Principal // the owner of the queue; the empty principal for the management canister of the subnet
	Position int                 // messages before it
	Source   intercanister.Source
	Sender   principal.Principal // a user, or the canister on the other side of a call
	Method   string
	Task     intercanister.Task
	Call     CallRef // of a request or response
	Request  state.RequestID
	Payload  int // bytes
	Waits    Waiting
}

// Messages returns the messages in queues, by subnet, canister and position. Calls that the management canister has
// postponed come after its queue.
func (n *Network) Messages(page Page) ([]QueuedMessage, *Cursor) {
	l := list[QueuedMessage](page)
	for i, m := range n.Subnets {
		number := uint64(0)
		show := func(owner principal.Principal, in *intercanister.Input, waits Waiting) {
			number++
			if at := (Cursor{Subnet: i, ID: number}); l.wants(at, owner) {
				waits.Subnet = m.ID
				l.add(at, m.queuedMessage(owner, in, waits))
			}
		}
		queue := func(box *intercanister.Mailbox) {
			position := 0
			box.Each(func(in *intercanister.Input) {
				reason, why := m.blocked(box, position)
				show(box.Owner, in, Waiting{Reason: reason, Text: why, Position: position})
				position++
			})
		}
		queue(&m.ManagementCalls)
		m.putOff(func(in *intercanister.Input, waits Waiting) { show(principal.Management, in, waits) })
		for r := range m.Canisters.All() {
			queue(&r.Mailbox)
		}
	}
	return l.result()
}

// putOff visits the calls of the management canister that have left its queue and have not begun.
func (m *Subnet) putOff(show func(*intercanister.Input, Waiting)) {
	for i := range m.Preparing {
		show(&m.Preparing[i].In, Waiting{Reason: WaitCompiling, Text: whyCompiling})
	}
	for r := range m.Canisters.All() {
		for i := range r.Waiting {
			show(&r.Waiting[i], Waiting{Reason: WaitManagement, Text: whyBusy(r)})
		}
	}
}

func (m *Subnet) queuedMessage(owner principal.Principal, in *intercanister.Input, waits Waiting) QueuedMessage {
	q := QueuedMessage{Subnet: m.ID, Canister: owner, Position: waits.Position, Source: in.Source, Task: in.Task, Waits: waits}
	switch in.Source {
	case intercanister.SourceTasks:
		q.Method = in.Task.String()
	case intercanister.SourceIngress:
		record := m.History.At(in.Ingress)
		q.Sender, q.Method, q.Request, q.Payload = record.Sender, record.Method, record.ID, len(record.Arg)
	case intercanister.SourceResponses:
		f := m.Calls.Future(in.Call)
		q.Sender, q.Method, q.Call, q.Payload = f.Callee, f.Method, CallRef{m.ID, in.Call}, in.Response.PayloadBytes()
	case intercanister.SourceRequests:
		q.Sender, q.Method, q.Payload, q.Call = in.Request.Sender, in.Request.Method, len(in.Request.Payload), CallRef{Call: in.Request.Call}
		if position := m.net.Find(in.Request.Sender); position >= 0 {
			q.Call.Subnet = m.net.Subnets[position].ID
		}
	}
	return q
}

// blocked returns why a message with this many before it in a queue does not run yet.
func (m *Subnet) blocked(box *intercanister.Mailbox, position int) (WaitReason, string) {
	if position > 0 {
		return WaitQueued, fmt.Sprintf("%d messages come before it", position)
	}
	if box == &m.ManagementCalls {
		if box.Blocked {
			return WaitNextRound, "the management canister has done its part of the round"
		}
		return WaitNextRound, "the next round takes it"
	}
	r := m.Canisters.Get(box.Owner)
	switch {
	case r.Running:
		return WaitExecuting, "canister " + r.ID().String() + " is in the middle of another message"
	case box.Blocked:
		return WaitNextRound, "canister " + r.ID().String() + " has changed too much memory and must wait"
	case r.Canister.Status != canister.Running:
		return WaitStopped, "canister " + r.ID().String() + " is " + r.Canister.Status.String()
	}
	return WaitNextRound, "the next round takes it"
}

// Heartbeats returns the canisters that do something in every round, by id.
func (n *Network) Heartbeats() (all []principal.Principal) {
	for _, m := range n.Subnets {
		for _, r := range m.Heartbeats {
			all = append(all, r.ID())
		}
	}
	slices.SortFunc(all, principal.Principal.Compare)
	return all
}
