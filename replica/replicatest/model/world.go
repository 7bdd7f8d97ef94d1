package model

import "fmt"

// ID identifies a canister by the number with which programs call it.
type ID int

// Management is the management canister.
const Management ID = -1

// Status is the specification's canister status.
type Status uint8

// The states, with the numbers of ic0.canister_status.
const (
	Running Status = iota + 1
	Stopping
	Stopped
)

// World is a network of subnets.
type World struct {
	Subnets []*Subnet
	// Bytes returns the name of a canister in a reply.
	Bytes func(ID) string

	now     uint64                    // ns, of the round
	ingress ordered[uint64, *ingress] // not answered
	effects []*Effect
	fault   string
}

// Subnet hosts the canisters whose numbers are from First to Last.
type Subnet struct {
	First, Last ID
	Fees        Fees
	Room        uint64 // bytes for best-effort messages that wait, 0: enough

	created   ID // canisters so far
	canisters ordered[ID, *Canister]
	calls     ordered[uint64, *call] // not over, by number
	lastCall  uint64
	out, in   []streamMessage // what leaves in this round, what arrives with the next
	later     []streamMessage // what leaves in the next round
	commands  []*request
	install   *Canister // whose installation is not over

	Minted, Gone, Deleted, Lost uint64 // cycles out of nothing, and where they went
}

// Canister is one canister.
type Canister struct {
	ID      ID
	Status  Status
	Version uint64
	Balance uint64
	Code    bool
	Count   uint64 // the puppet's only memory
	Timer   uint64
	Paid    uint64 // for everything so far, prepayments too

	subnet    *Subnet
	credit    uint64 // came while a message ran
	debit     uint64 // fell due while a message ran
	programs  map[string]string
	wide      bool // its code has a 64-bit memory
	ingress   []*ingress
	requests  ordered[ID, []*request]
	responses []*call
	contexts  []*context
	slots     map[ID]int // calls whose callback is still to begin, by callee
	owed      map[ID]int // requests that were taken and are not answered, by caller
	calls     int        // not over
	held      bool       // a message was taken, and which one is not known yet
	running   *message
	stops     []stop
}

// context is a call context.
type context struct {
	origin      origin
	available   uint64
	outstanding int
	responded   bool
	deleted     bool
	busy        bool
}

// origin is the receiver of an answer: a user, a call, or none.
type origin struct {
	ingress *ingress
	call    *call
}

// call is an outgoing call with its caller's data.
type call struct {
	number                   uint64
	owner                    *Canister
	callee                   ID
	context                  *context
	execution                uint64 // prepaid
	carrying                 uint64 // prepaid
	deadline                 uint64 // 0: guaranteed response
	made                     uint64 // ns, of the round
	state                    callState
	response                 Response
	then, otherwise, finally string
}

type callState uint8

const (
	waiting callState = iota
	settled
	beginning // its callback runs
)

// request is a call on its way.
type request struct {
	call    *call
	sender  ID
	to      ID
	method  string
	arg     string
	cycles  uint64
	arrived uint64 // ns, of the round
}

// Response answers a call or a user.
type Response struct {
	Reply  string
	Code   Code   // 0 for a reply
	Text   string // of a reject: a part of what the machine must say
	bytes  int    // of the text the machine said
	refund uint64
}

type ingress struct {
	key      uint64
	to       ID
	method   string
	arg      string
	expiry   uint64
	begun    bool
	answered bool
}

// streamMessage is a message between subnets: a request, a response, or only what came
// back too late.
type streamMessage struct {
	from     *Canister // nil: the subnet itself
	request  *request
	call     *call
	late     bool
	response Response
}

type stop struct {
	origin origin
	refund uint64
	since  uint64
}

// Effect is something that the network must do at once because of a delivery.
type Effect struct {
	Kind     EffectKind
	Subnet   *Subnet
	Canister ID
	Call     uint64 // Registered, Settled
	Callee   ID     // Registered
	Ingress  uint64 // Answered
	Response *Response
}

// EffectKind is the kind of an effect.
type EffectKind uint8

// The possible effects of a delivery.
const (
	Registered EffectKind = iota + 1 // a call was made
	Settled                          // a call has its response
	Answered                         // a user has an answer
)

func (e *Effect) String() string {
	switch e.Kind {
	case Registered:
		return fmt.Sprintf("call %d of canister %d to %d", e.Call, e.Canister, e.Callee)
	case Settled:
		return fmt.Sprintf("the response to call %d of canister %d: %s", e.Call, e.Canister, e.Response)
	}
	return fmt.Sprintf("the answer to message %d: %s", e.Ingress, e.Response)
}

func (r *Response) String() string {
	if r.Code != 0 {
		return fmt.Sprintf("reject IC%04d %q", r.Code, r.Text)
	}
	return fmt.Sprintf("reply %q", r.Reply)
}

// Carry sets the length of the reject's text in the network's words: the specification leaves the words open, but they
// are paid by the byte.
func (r *Response) Carry(bytes int) { r.bytes = bytes }

// New returns a world without canisters.
func New(bytes func(ID) string, subnets ...*Subnet) *World {
	return &World{Subnets: subnets, Bytes: bytes}
}

// Canister returns the canister with a number, nil if there is none.
func (w *World) Canister(id ID) *Canister {
	if s := w.SubnetOf(id); s != nil {
		return s.canisters.get(id)
	}
	return nil
}

// SubnetOf returns the subnet that hosts a number, nil if there is none.
func (w *World) SubnetOf(id ID) *Subnet {
	for _, s := range w.Subnets {
		if s.First <= id && id <= s.Last {
			return s
		}
	}
	return nil
}

// Effects returns the effects that the network must show before the next delivery.
func (w *World) Effects() []*Effect { return w.effects }

// Seen removes an effect.
func (w *World) Seen(i int) { w.effects = append(w.effects[:i], w.effects[i+1:]...) }

// Fault returns the first illegal action of the network, empty if there is none.
func (w *World) Fault() string { return w.fault }

func (w *World) wrong(format string, args ...any) {
	if w.fault == "" {
		w.fault = fmt.Sprintf(format, args...)
	}
}

// must records a violated invariant.
func (w *World) must(holds bool, format string, args ...any) {
	if !holds {
		w.wrong(format, args...)
	}
}

func (w *World) effect(e Effect) {
	kept := e
	w.effects = append(w.effects, &kept)
}
