package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// bill has what the methods of canisters did, as the events of an instance tell it, and can say what that costs.
type bill struct {
	methods  map[methodID]*methodUse
	contexts map[contextID]methodID // the method that a call context answers
	users    uint64                 // calls of users
}

type methodID struct{ canister, method string }

type contextID struct {
	subnet string
	id     uint64
}

// methodUse is what a method did in all its calls: in its own messages and in the callbacks of the calls that it made.
type methodUse struct {
	task                bool // a timer, a heartbeat or a hook: nobody calls it
	calls               uint64
	messages            uint64
	instructions        uint64
	made                uint64 // calls of other canisters
	sentBytes, gotBytes uint64 // of those calls, and of their answers
	ingress             uint64 // messages of users
	ingressBytes        uint64 // their arguments and method names
}

// envelopeBytes is the size of a user's signed message besides its argument and the name of the method: with a key and a
// signature of Ed25519, and without a delegation.
const envelopeBytes = 350

func newBill() *bill {
	return &bill{methods: map[methodID]*methodUse{}, contexts: map[contextID]methodID{}}
}

func (b *bill) of(canister, method string) *methodUse {
	id := methodID{canister, method}
	if b.methods[id] == nil {
		b.methods[id] = &methodUse{}
	}
	return b.methods[id]
}

// add adds an event. Events come in order.
func (b *bill) add(e *controlv1.Event) {
	switch e.GetKind() {
	case controlv1.EventKind_EVENT_KIND_INGRESS_RECEIVED:
		m := b.of(e.GetCanisterId(), e.GetMethod())
		m.ingress++
		m.ingressBytes += e.GetBytes() + uint64(len(e.GetMethod()))
	case controlv1.EventKind_EVENT_KIND_MESSAGE_EXECUTED:
		b.execution(e)
	case controlv1.EventKind_EVENT_KIND_CALL_REGISTERED:
		if m := b.methods[b.contexts[contextID{e.GetSubnetId(), e.GetContextId()}]]; m != nil {
			m.made++
			m.sentBytes += e.GetBytes() + uint64(len(e.GetMethod()))
		}
	case controlv1.EventKind_EVENT_KIND_CALL_SETTLED:
		if m := b.methods[b.contexts[contextID{e.GetSubnetId(), e.GetContextId()}]]; m != nil {
			m.gotBytes += e.GetBytes()
		}
	}
}

func (b *bill) execution(e *controlv1.Event) {
	id := methodID{e.GetCanisterId(), e.GetMethod()}
	context := contextID{e.GetSubnetId(), e.GetContextId()}
	callback := e.GetSource() == "response"
	switch known, ok := b.contexts[context]; {
	case callback && !ok:
		return // the message that made the call is forgotten
	case callback:
		id = known
	case e.GetSource() == "task":
		id.method = "(" + e.GetTask() + ")"
	}
	m := b.of(id.canister, id.method)
	m.messages++
	m.instructions += e.GetInstructions()
	if callback {
		return
	}
	m.calls++
	m.task = e.GetSource() == "task"
	if e.GetSource() == "ingress" {
		b.users++
	}
	if context.id != 0 {
		b.contexts[context] = id
	}
}

// executed returns the methods that ran, in order.
func (b *bill) executed() []methodID {
	ids := slices.SortedFunc(maps.Keys(b.methods), func(a, o methodID) int {
		return cmp.Or(cmp.Compare(a.canister, o.canister), cmp.Compare(a.method, o.method))
	})
	return slices.DeleteFunc(ids, func(id methodID) bool { return b.methods[id].calls == 0 })
}

// prices are what something costs, by use.
type prices struct{ ingress, execution, calls cycles.Amount }

func (p prices) total() cycles.Amount { return p.ingress.Add(p.execution).Add(p.calls) }

// cost returns what all calls of the method cost its canister at the prices of a subnet: the messages of users, the
// execution of all messages, and the calls with their responses.
func (m *methodUse) cost(s *cycles.Schedule, wide bool) (p prices) {
	if m.ingress > 0 {
		p.ingress = s.IngressMessage(int(envelopeBytes)).Mul(m.ingress).Add(s.IngressMessage(int(m.ingressBytes)).Sub(s.IngressMessage(0)))
	}
	p.execution = s.Execution(0, wide).Mul(m.messages).Add(s.ExecutionRefund(m.instructions, wide))
	p.calls = s.CallTransmission(0).Mul(m.made).Add(s.ResponseTransmission(int(m.sentBytes))).Add(s.ResponseTransmission(int(m.gotBytes)))
	return p
}
