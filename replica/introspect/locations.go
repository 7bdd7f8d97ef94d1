package introspect

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// The places of all calls: to its caller a future only waits.

// WaitReason is what something waits for.
type WaitReason uint8

const (
	WaitQueued         WaitReason = iota + 1 // the request is in the callee's queue
	WaitHeld                                 // by a rule, or behind a message that is
	WaitExecuting                            // the callee is in the middle of its code
	WaitAwaiting                             // the callee awaits its own calls
	WaitResponseQueued                       // the answer has arrived, and the callback waits to run
	WaitStream                               // in transit to another subnet
	WaitManagement                           // the management canister works on it
	WaitOutcall                              // an HTTP outcall
	WaitNextRound                            // it can continue in the next round
	WaitStopped                              // a canister that is stopping, or stopped
	WaitCompiling                            // a module is being compiled
	WaitNever                                // the call is lost: only its deadline answers it
)

// String returns the reason for people.
func (r WaitReason) String() string {
	return [...]string{
		"", "queued", "held", "executing", "awaiting", "response queued", "stream", "management", "outcall", "next round", "stopped", "compiling", "never",
	}[r]
}

// QueueKind says which structure holds a request that no canister executes yet.
type QueueKind uint8

const (
	Elsewhere QueueKind = iota
	InMailbox           // Box
	InWaiting           // Entry.Waiting
	InPreparing
	InOutput // State.Output[To]
	InStream // State.Inbound
)

// Location is the place of a call. Subnet is the subnet that has it.
type Location struct {
	Reason   WaitReason
	In       QueueKind
	Subnet   *Subnet
	Box      *intercanister.Mailbox
	position int          // in the box
	Entry    *state.Entry // that it waits for
	Request  intercanister.Request
	Held     *state.Held
	context  intercanister.ContextID // of the callee
	To       int                     // subnet
	number   uint64                  // outcall
	caller   principal.Principal
	text     string
}

const whyCompiling = "the module is being compiled"

func whyBusy(r *state.Entry) string {
	return "the message of canister " + r.ID().String() + " must be over first"
}

type callKey struct {
	subnet int
	call   intercanister.CallID
}

// CallLocations are the locations of all open calls.
type CallLocations struct {
	net            *Network
	all            map[callKey]Location
	counts         map[callKey]int
	UnknownCallers []principal.Principal // callers that no subnet hosts: only a damaged file has some
}

// Of returns the location of a call.
func (s *CallLocations) Of(subnet int, call intercanister.CallID, caller principal.Principal) Location {
	at, ok := s.all[callKey{subnet, call}]
	if !ok || at.caller != caller {
		return Location{Reason: WaitNever, Subnet: s.net.Subnets[subnet], text: "the request was lost: only its deadline answers it"}
	}
	return at
}

// Count returns the number of places of a call: one, except in a damaged file.
func (s *CallLocations) Count(subnet int, call intercanister.CallID) int {
	return s.counts[callKey{subnet, call}]
}

// CallLocations finds all calls. It takes time in proportion to everything that is open.
func (n *Network) CallLocations() *CallLocations {
	s := &CallLocations{net: n, all: make(map[callKey]Location), counts: make(map[callKey]int)}
	for _, m := range n.Subnets {
		s.held(m)
		s.between(m)
		s.queued(m, &m.ManagementCalls)
		for r := range m.Canisters.All() {
			s.queued(m, &r.Mailbox)
			for i := range r.Waiting {
				s.input(&r.Waiting[i], Location{Reason: WaitManagement, In: InWaiting, Subnet: m, Entry: r, text: whyBusy(r)})
			}
			for i := range r.Stops {
				s.ticket(&r.Stops[i].Ticket, Location{Reason: WaitStopped, Subnet: m, Entry: r, text: "canister " + r.ID().String() + " is stopping: what it has open must end first"})
			}
		}
		s.commands(m)
		s.contexts(m)
	}
	return s
}

func (s *CallLocations) put(caller principal.Principal, call intercanister.CallID, at Location) {
	position := s.net.Find(caller)
	if position < 0 {
		s.UnknownCallers = append(s.UnknownCallers, caller)
		return
	}
	at.caller = caller
	s.all[callKey{position, call}] = at
	s.counts[callKey{position, call}]++
}

func (s *CallLocations) input(in *state.Input, at Location) {
	if in.Source == intercanister.SourceRequests {
		at.Request = in.Request
		s.put(in.Request.Sender, in.Request.Call, at)
	}
}

func (s *CallLocations) ticket(t *state.Ticket, at Location) {
	if t.Origin.Kind == intercanister.FromCanister {
		s.put(t.Origin.Caller, t.Origin.Call, at)
	}
}

func (s *CallLocations) held(m *Subnet) {
	for _, h := range m.Held.All() {
		switch h.Kind {
		case state.KindRequest:
			s.put(h.Request.Sender, h.Request.Call, Location{Reason: WaitHeld, Subnet: m, Held: h, Request: h.Request, text: "the request is held"})
		case state.KindResponse:
			s.put(h.Owner, h.Call, Location{Reason: WaitHeld, Subnet: m, Held: h, text: "the response is held"})
		}
	}
}

// between finds calls in transit between subnets.
func (s *CallLocations) between(m *Subnet) {
	for to := range m.Output {
		for i := range m.Output[to] {
			s.streamMessage(&m.Output[to][i], Location{In: InOutput, Subnet: m, To: to})
		}
	}
	for i := range m.Inbound {
		s.streamMessage(&m.Inbound[i], Location{In: InStream, Subnet: m, To: m.Position})
	}
}

func (s *CallLocations) streamMessage(p *state.StreamMessage, at Location) {
	at.Reason = WaitStream
	to := s.net.Subnets[at.To].ID.String()
	switch {
	case p.Request != nil:
		at.Request, at.text = *p.Request, "the request is on its way to subnet "+to
		s.put(p.Request.Sender, p.Request.Call, at)
	case p.Call != 0:
		at.In, at.text = Elsewhere, "the response is on its way to subnet "+to
		s.put(p.Owner, p.Call, at)
	}
}

func (s *CallLocations) queued(m *Subnet, box *intercanister.Mailbox) {
	position := 0
	box.Each(func(in *intercanister.Input) {
		s.input(in, Location{Reason: WaitQueued, In: InMailbox, Subnet: m, Box: box, position: position})
		position++
	})
}

// commands finds the calls that the management canister works on.
func (s *CallLocations) commands(m *Subnet) {
	for i := range m.Preparing {
		s.input(&m.Preparing[i].In, Location{Reason: WaitCompiling, In: InPreparing, Subnet: m, text: whyCompiling})
	}
	for _, number := range slices.Sorted(maps.Keys(m.Outcalls)) {
		s.ticket(&m.Outcalls[number].Ticket, Location{Reason: WaitOutcall, Subnet: m, number: number, text: "the HTTP outcall is not answered"})
	}
	for i := range m.Signing.Pending {
		s.ticket(&m.Signing.Pending[i].Ticket, Location{Reason: WaitManagement, Subnet: m, text: "the next round signs it"})
	}
	for i := range m.Postponed {
		s.ticket(&m.Postponed[i].Ticket, Location{Reason: WaitNextRound, Subnet: m, text: "the next round answers it"})
	}
	for _, x := range m.Parked {
		if x.Install != nil {
			ticket := x.Install.Call.Ticket()
			s.ticket(&ticket, Location{Reason: WaitExecuting, Subnet: m, Entry: x.Entry, text: "canister " + x.Entry.ID().String() + " is being installed"})
		}
	}
}

// contexts finds the calls that canisters have begun to execute.
func (s *CallLocations) contexts(m *Subnet) {
	running := make(map[intercanister.ContextID]*state.Execution)
	for _, x := range m.Parked {
		running[x.Context] = x
	}
	m.Calls.EachContext(func(c *intercanister.Context) {
		if c.Origin.Kind != intercanister.FromCanister || c.Responded {
			return
		}
		at := Location{Reason: WaitAwaiting, Subnet: m, context: c.ID, Entry: m.Canisters.Get(c.Canister), text: "canister " + c.Canister.String() + " awaits calls of its own"}
		if x := running[c.ID]; x != nil {
			at.Reason, at.text = WaitExecuting, "canister "+c.Canister.String()+" is in the middle of its code"
			if x.Until != 0 {
				at.text += ", which waits until " + timeText(x.Until)
			}
		}
		s.put(c.Origin.Caller, c.Origin.Call, at)
	})
}
