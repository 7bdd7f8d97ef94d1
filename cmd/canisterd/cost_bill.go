package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// bill has what the methods of canisters did, as the events of an instance tell it, and can say what that costs.
type bill struct {
	methods  map[methodID]*methodUse
	contexts map[contextID]methodID // the method that a call context answers
	users    uint64                 // calls of users
	nodes    map[string]uint64      // of the subnets of the instance, by id
	services map[callID]serviceCall // calls of the management canister with cycles that are not settled
}

// callID is a call, by the subnet of its caller.
type callID struct {
	subnet string
	id     uint64
}

// serviceCall is a call of the management canister with cycles, which may pay for an HTTP outcall or a signature.
type serviceCall struct {
	by             *methodUse
	attached       cycles.Amount
	signs, outcall bool
}

// signing are the beginnings of the names of methods that sign.
var signing = []string{"sign_with_", "vetkd_"}

// signingNodes is the size of the subnets that hold the keys for production (key_1).
const signingNodes = 34

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
	signatures          uint64
	outcalls            [len(pricedSubnets)]cycles.Amount // prices of HTTP outcalls
}

// envelopeBytes is the size of a user's signed message besides its argument and the name of the method: with a key and a
// signature of Ed25519, and without a delegation.
const envelopeBytes = 350

func newBill(nodes map[string]uint64) *bill {
	return &bill{methods: map[methodID]*methodUse{}, contexts: map[contextID]methodID{}, nodes: nodes, services: map[callID]serviceCall{}}
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
			b.service(e, m)
		}
	case controlv1.EventKind_EVENT_KIND_CALL_SETTLED:
		if m := b.methods[b.contexts[contextID{e.GetSubnetId(), e.GetContextId()}]]; m != nil {
			m.gotBytes += e.GetBytes()
			b.served(e)
		}
	case controlv1.EventKind_EVENT_KIND_OUTCALL_MADE:
		id := callID{e.GetSubnetId(), e.GetCallId()}
		if call, ok := b.services[id]; ok {
			call.outcall = true
			b.services[id] = call
		}
	}
}

// service remembers a call that a method made, if it may be one of a service.
func (b *bill) service(e *controlv1.Event, by *methodUse) {
	if attached := cyclesOf(e); e.GetPeer() == principal.Management.String() && !attached.IsZero() {
		signs := slices.ContainsFunc(signing, func(begin string) bool { return strings.HasPrefix(e.GetMethod(), begin) })
		b.services[callID{e.GetSubnetId(), e.GetCallId()}] = serviceCall{by: by, attached: attached, signs: signs}
	}
}

// served adds the price of a service whose call is settled. A call that cost nothing failed before.
func (b *bill) served(e *controlv1.Event) {
	id := callID{e.GetSubnetId(), e.GetCallId()}
	call, ok := b.services[id]
	delete(b.services, id)
	paid := call.attached.Sub(cyclesOf(e))
	switch {
	case !ok || paid.IsZero():
	case call.signs:
		call.by.signatures++
	case call.outcall:
		for i, nodes := range pricedSubnets {
			call.by.outcalls[i] = call.by.outcalls[i].Add(outcallPrice(paid, b.nodes[id.subnet], nodes))
		}
	}
}

// cyclesOf returns the cycles of an event, which the daemon writes as digits.
func cyclesOf(e *controlv1.Event) (a cycles.Amount) {
	_ = a.UnmarshalText([]byte(e.GetCycles())) // "" of an event without cycles
	return a
}

// outcallPrice returns what an HTTP outcall costs on a subnet with so many nodes, from what was paid for it on one with
// nodes here. Each node pays for the request, for the response and for each of the nodes. Prices of version 2 have other
// parts: what is no price of version 1 is taken in proportion to the nodes.
func outcallPrice(paid cycles.Amount, here, nodes uint64) cycles.Amount {
	if here == 0 {
		return paid
	}
	then, now := cycles.Application(here), cycles.Application(nodes)
	each := paid.Div(here)
	if bytes, ok := each.Take(then.Outcall(0, 0).Div(here)); ok && each.Mul(here) == paid {
		return now.Outcall(0, 0).Add(bytes.Mul(nodes))
	}
	return paid.Mul(nodes).Div(here)
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
type prices struct{ ingress, execution, calls, services cycles.Amount }

func (p prices) total() cycles.Amount {
	return p.ingress.Add(p.execution).Add(p.calls).Add(p.services)
}

// cost returns what all calls of the method cost its canister at the prices of a subnet of pricedSubnets: the messages of
// users, the execution of all messages, the calls with their responses, and the HTTP outcalls and signatures.
func (m *methodUse) cost(subnet int, wide bool) (p prices) {
	s, signing := cycles.Application(pricedSubnets[subnet]), cycles.Application(signingNodes)
	if m.ingress > 0 {
		p.ingress = s.IngressMessage(int(envelopeBytes)).Mul(m.ingress).Add(s.IngressMessage(int(m.ingressBytes)).Sub(s.IngressMessage(0)))
	}
	p.execution = s.Execution(0, wide).Mul(m.messages).Add(s.ExecutionRefund(m.instructions, wide))
	p.calls = s.CallTransmission(0).Mul(m.made).Add(s.ResponseTransmission(int(m.sentBytes))).Add(s.ResponseTransmission(int(m.gotBytes)))
	p.services = signing.Scale(cycles.Of(signing.Signature)).Mul(m.signatures).Add(m.outcalls[subnet])
	return p
}
