package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Query is a user's query call whose signature was checked.
type Query struct {
	Sender    principal.Principal
	Receiver  principal.Principal
	Effective principal.Principal
	Subnet    principal.Principal // subnet id of the URL; then Effective does not count
	BySubnet  bool
	Method    string
	Arg       []byte
	Info      *SenderInfo
	Layout    certify.RangesLayout // of the delegation in the data certificate
	Transform bool                 // a transform of an HTTP outcall: asked by the outside, not by a user
}

// QueryResult is a query's answer: a reply, or a reject.
type QueryResult struct {
	Reply        []byte
	Reject       *intercanister.Reject
	Refusal      *Refusal // nothing ran
	Instructions uint64
	Time         uint64 // ns, of the state it ran on
	Subnet       principal.Principal
}

// PreparedQuery is a query that has hold of the state it needs. Exactly one of
// Run and Discard must be called, once, on any goroutine.
type PreparedQuery struct {
	result      QueryResult
	target      *canister.QueryTarget
	sub         canister.Subnet
	message     canister.Message
	certificate func() []byte
	id          principal.Principal
	machine     *machine
	owner       func(do func()) error
}

// PrepareQuery takes hold of the state a query needs; the network may go on
// before the query has run.
func (n *Network) PrepareQuery(q *Query) *PreparedQuery {
	m, refusal := n.queried(q)
	if refusal != nil {
		return &PreparedQuery{result: QueryResult{Refusal: refusal}}
	}
	result := QueryResult{Time: m.Time, Subnet: m.ID}
	if q.Receiver == principal.Management || q.BySubnet {
		answer := n.management.Query(&state.Command{
			Machine: m, State: &m.State, Method: q.Method, Arg: q.Arg, Caller: q.Sender, Target: m.Residents.Get(q.Effective),
		})
		result.Reply, result.Reject = answer.Reply, answer.Reject
		return &PreparedQuery{result: result}
	}
	target, reject := m.target(q)
	if reject != nil {
		result.Reject = reject
		return &PreparedQuery{result: result}
	}
	return m.prepareQuery(q, target, result)
}

func (n *Network) queried(q *Query) (*machine, *Refusal) {
	if q.BySubnet {
		if position, ok := n.routes.byID[q.Subnet]; ok {
			return n.machines[position], nil
		}
		return nil, refuse(400, "subnet %s is not part of this network", q.Subnet).Refusal
	}
	if q.Receiver != principal.Management && q.Receiver != q.Effective {
		return nil, refuse(400, "the effective canister id is %s, but the query is to canister %s: they must be the same", q.Effective, q.Receiver).Refusal
	}
	if q.Receiver == principal.Management {
		id, anywhere, reject := n.management.Effective(q.Method, q.Arg)
		if reject == nil && !anywhere && id != q.Effective {
			return nil, refuse(400, "the effective canister id is %s, but method %s is about canister %s: they must be the same", q.Effective, q.Method, id).Refusal
		}
	}
	position := n.routes.find(q.Effective)
	if position < 0 {
		return nil, refuse(400, "Canister %s does not belong to any subnet.", q.Effective).Refusal
	}
	return n.machines[position], nil
}

// target checks that a canister may be queried and takes hold of its state.
func (m *machine) target(q *Query) (*canister.QueryTarget, *intercanister.Reject) {
	r := m.Residents.Get(q.Receiver)
	if r == nil {
		return nil, rejectNotFound(q.Receiver)
	}
	if reject := rejectNotRunning(r.Canister); reject != nil {
		return nil, reject
	}
	if m.net.executor.Empty(r.Canister) {
		return nil, rejectEmpty(q.Receiver)
	}
	if !r.Running && m.frozen(r) {
		return nil, rejectFrozenQuery(q.Receiver)
	}
	if kind := m.net.executor.Method(r.Canister, q.Method); kind != QueryMethod && kind != CompositeMethod {
		return nil, rejectNoMethod(q.Receiver, "query", q.Method)
	}
	return r.Canister.PrepareQuery()
}

func (m *machine) prepareQuery(q *Query, target *canister.QueryTarget, result QueryResult) *PreparedQuery {
	r, view := m.Residents.Get(q.Receiver), m.net.view
	p := &PreparedQuery{result: result, target: target, sub: *m.sub, id: q.Receiver, machine: m}
	p.owner = func(do func()) error { do(); return nil }
	p.sub.Time = m.Time
	p.message = canister.Message{Context: canister.Query, Method: q.Method, Caller: q.Sender, Payload: q.Arg}
	p.message.CallerInfo, p.message.Signer = q.Info.Parts()
	switch {
	case q.Transform:
		p.message.Context, p.message.Caller = canister.TransformQuery, principal.Management
		return p
	case m.net.executor.Method(r.Canister, q.Method) == CompositeMethod:
		p.message.Context = canister.CompositeQuery
	}
	if len(r.Proved.Certified) > 0 {
		shown, layout, id := &view.Subnets[m.position], q.Layout, q.Receiver
		p.certificate = func() []byte {
			return view.Certificate(shown, layout, certify.CanisterPath(id, "certified_data"))
		}
	}
	return p
}

// Through makes the query reach for the network, as composite queries must for
// the canisters they call, by way of ask, which runs a function on the goroutine
// that owns the network. Without it Run must be called there.
func (p *PreparedQuery) Through(ask func(do func()) error) { p.owner = ask }

// Run runs the query.
func (p *PreparedQuery) Run() QueryResult {
	if p.target == nil {
		return p.result
	}
	defer p.target.Release()
	if p.certificate != nil {
		p.message.Certificate = p.certificate()
	}
	result := p.result
	if p.message.Context == canister.CompositeQuery {
		response, spent := p.compose()
		result.Reply, result.Reject, result.Instructions = response.Reply, response.Reject, spent
		return result
	}
	out := p.target.Run(&p.sub, &p.message)
	result.Instructions = out.Instructions
	switch {
	case out.Failure != nil:
		result.Reject = out.Failure
	case out.Response == nil:
		result.Reject = rejectNoQueryReply(p.id)
	default:
		result.Reply, result.Reject = out.Response.Reply, out.Response.Reject
	}
	return result
}

// Discard gives up a query that will not run.
func (p *PreparedQuery) Discard() {
	if p.target != nil {
		p.target.Release()
	}
}
