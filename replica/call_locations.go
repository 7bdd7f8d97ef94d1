package replica

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Where every call is: seen from its caller a future only waits.

// WaitReason is what something waits for.
type WaitReason uint8

const (
	WaitQueued         WaitReason = iota + 1 // the request is in the callee's queue
	WaitHeld                                 // by a rule, or behind a message that is
	WaitExecuting                            // the callee is in the middle of its code
	WaitAwaiting                             // the callee awaits calls of its own
	WaitResponseQueued                       // the answer is there, the callback has not run
	WaitStream                               // on the way to another subnet
	WaitManagement                           // the management canister works on it
	WaitOutcall                              // an HTTP outcall
	WaitNextRound                            // it can go on when the next round comes
	WaitStopped                              // a canister that is stopping, or stopped
	WaitCompiling                            // a module is being compiled
	WaitNever                                // nobody has it any more: only its deadline answers it
)

// String names the reason for people.
func (r WaitReason) String() string {
	return [...]string{
		"", "queued", "held", "executing", "awaiting", "response queued", "stream", "management", "outcall", "next round", "stopped", "compiling", "never",
	}[r]
}

// container says which structure a request that has not begun is in.
type container uint8

const (
	nowhere   container = iota
	inMailbox           // box
	inWaiting           // entry.Waiting
	inPreparing
	inOutput // subnet.out[to]
	inStream // subnet.inbound
)

// location is where a call is. subnet is the subnet that has it.
type location struct {
	reason   WaitReason
	in       container
	subnet   *subnet
	box      *intercanister.Mailbox
	position int          // in the box
	entry    *state.Entry // that is waited for
	request  intercanister.Request
	held     *state.Held
	context  intercanister.ContextID // of the callee
	to       int                     // subnet
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

// callLocations are where all calls are that have not been answered.
type callLocations struct {
	net       *Network
	all       map[callKey]location
	counts    map[callKey]int       // in how many locations each is: one, where no file says otherwise
	strangers []principal.Principal // callers that no subnet hosts: none, likewise
}

// of is where a call is.
func (s *callLocations) of(subnet int, call intercanister.CallID, caller principal.Principal) location {
	at, ok := s.all[callKey{subnet, call}]
	if !ok || at.caller != caller {
		return location{reason: WaitNever, subnet: s.net.subnets[subnet], text: "nobody has the request any more: only its deadline answers it"}
	}
	return at
}

// callLocations finds all calls. It takes time in proportion to everything that is open.
func (n *Network) callLocations() *callLocations {
	s := &callLocations{net: n, all: make(map[callKey]location), counts: make(map[callKey]int)}
	for _, m := range n.subnets {
		s.held(m)
		s.between(m)
		s.queued(m, &m.Commands)
		for r := range m.Canisters.All() {
			s.queued(m, &r.Mailbox)
			for i := range r.Waiting {
				s.input(&r.Waiting[i], location{reason: WaitManagement, in: inWaiting, subnet: m, entry: r, text: whyBusy(r)})
			}
			for i := range r.Stops {
				s.ticket(&r.Stops[i].Ticket, location{reason: WaitStopped, subnet: m, entry: r, text: "canister " + r.ID().String() + " is stopping: what it has open must end first"})
			}
		}
		s.commands(m)
		s.contexts(m)
	}
	return s
}

func (s *callLocations) put(caller principal.Principal, call intercanister.CallID, at location) {
	position := s.net.routes.find(caller)
	if position < 0 {
		s.strangers = append(s.strangers, caller)
		return
	}
	at.caller = caller
	s.all[callKey{position, call}] = at
	s.counts[callKey{position, call}]++
}

func (s *callLocations) input(in *state.Input, at location) {
	if in.Source == intercanister.SourceRequests {
		at.request = in.Request
		s.put(in.Request.Sender, in.Request.Call, at)
	}
}

func (s *callLocations) ticket(t *state.Ticket, at location) {
	if t.Origin.Kind == intercanister.FromCanister {
		s.put(t.Origin.Caller, t.Origin.Call, at)
	}
}

func (s *callLocations) held(m *subnet) {
	for _, h := range m.Kept.All() {
		switch h.Kind {
		case KindRequest:
			s.put(h.Request.Sender, h.Request.Call, location{reason: WaitHeld, subnet: m, held: h, request: h.Request, text: "the request is held"})
		case KindResponse:
			s.put(h.Owner, h.Call, location{reason: WaitHeld, subnet: m, held: h, text: "the response is held"})
		}
	}
}

// between finds what is on its way to another subnet, or from one.
func (s *callLocations) between(m *subnet) {
	for to := range m.Output {
		for i := range m.Output[to] {
			s.streamMessage(&m.Output[to][i], location{in: inOutput, subnet: m, to: to})
		}
	}
	for i := range m.Inbound {
		s.streamMessage(&m.Inbound[i], location{in: inStream, subnet: m, to: m.position})
	}
}

func (s *callLocations) streamMessage(p *state.StreamMessage, at location) {
	at.reason = WaitStream
	to := s.net.subnets[at.to].ID.String()
	switch {
	case p.Request != nil:
		at.request, at.text = *p.Request, "the request is on its way to subnet "+to
		s.put(p.Request.Sender, p.Request.Call, at)
	case p.Call != 0:
		at.in, at.text = nowhere, "the response is on its way to subnet "+to
		s.put(p.Owner, p.Call, at)
	}
}

func (s *callLocations) queued(m *subnet, box *intercanister.Mailbox) {
	position := 0
	box.Each(func(in *intercanister.Input) {
		s.input(in, location{reason: WaitQueued, in: inMailbox, subnet: m, box: box, position: position})
		position++
	})
}

// commands finds what the management canister works on.
func (s *callLocations) commands(m *subnet) {
	for i := range m.Preparing {
		s.input(&m.Preparing[i].In, location{reason: WaitCompiling, in: inPreparing, subnet: m, text: whyCompiling})
	}
	for _, number := range slices.Sorted(maps.Keys(m.Outcalls)) {
		s.ticket(&m.Outcalls[number].Ticket, location{reason: WaitOutcall, subnet: m, number: number, text: "the HTTP outcall is not answered"})
	}
	for i := range m.Signing.Pending {
		s.ticket(&m.Signing.Pending[i].Ticket, location{reason: WaitManagement, subnet: m, text: "the next round signs it"})
	}
	for i := range m.Postponed {
		s.ticket(&m.Postponed[i].Ticket, location{reason: WaitNextRound, subnet: m, text: "the next round answers it"})
	}
	for _, j := range m.paused {
		if j.Install != nil {
			ticket := j.Install.Command.Ticket()
			s.ticket(&ticket, location{reason: WaitExecuting, subnet: m, entry: j.Entry, text: "canister " + j.Entry.ID().String() + " is being installed"})
		}
	}
}

// contexts finds the calls that canisters have begun to execute.
func (s *callLocations) contexts(m *subnet) {
	running := make(map[intercanister.ContextID]bool)
	for _, j := range m.paused {
		running[j.Context] = true
	}
	m.Calls.EachContext(func(c *intercanister.Context) {
		if c.Origin.Kind != intercanister.FromCanister || c.Responded {
			return
		}
		at := location{reason: WaitAwaiting, subnet: m, context: c.ID, entry: m.Canisters.Get(c.Canister), text: "canister " + c.Canister.String() + " awaits calls of its own"}
		if running[c.ID] {
			at.reason, at.text = WaitExecuting, "canister "+c.Canister.String()+" is in the middle of its code"
		}
		s.put(c.Origin.Caller, c.Origin.Call, at)
	})
}
