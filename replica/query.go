package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Query is a user's query call whose signature was checked.
type Query struct {
	Sender    principal.Principal
	Receiver  principal.Principal
	Effective principal.Principal
	Subnet    principal.Principal // subnet id of the URL; Effective is ignored then
	BySubnet  bool
	Method    string
	Arg       []byte
	Info      *SenderInfo
	Layout    certify.RangesLayout // of the delegation in the data certificate
	Dated     int64                // ns that are added to the time of the data certificate: the client has another clock
	Transform bool                 // a transform of an HTTP outcall: from the outside, not from a user
	// Late reports whether the time limit of the query has passed (the replica's: 10 seconds); nil: it never has. It is
	// called between the calls of a composite query, on the goroutine that runs it.
	Late func() bool
}

// QueryResult is the answer to a query: a reply, or a reject.
type QueryResult struct {
	Reply        []byte
	Reject       *intercanister.Reject
	Backtrace    []Frame          // of a reject that a failure of code caused, innermost first
	Refusal      *refusal.Refusal // nothing ran
	Instructions uint64
	Time         uint64 // ns, of the state it ran on
	Subnet       principal.Principal
	// Count is for the statistics of the queried canister, Nested for those of the canisters that a composite query
	// called. The caller returns them as QueryCounts.
	Count  QueryCount
	Nested []QueryCount
}

// PreparedQuery is a query with the captured state that it needs. Exactly one of Run and Discard must be called, once,
// on any goroutine.
type PreparedQuery struct {
	network    *Network
	query      *Query
	owner      func(do func()) error
	turns      Turns
	subnet     *subnet
	generation uint64 // of the state
	result     QueryResult
	target     *canister.QueryTarget
	sub        canister.Subnet
	message    canister.Message
	profiler   Profiler // that the network had then
	inPlace    bool     // it runs at once
}

// PrepareQuery captures the state that a query needs; the network may continue before the query has run.
func (n *Network) PrepareQuery(q *Query) *PreparedQuery {
	p := &PreparedQuery{network: n, query: q, owner: func(do func()) error { do(); return nil }}
	p.captureState()
	return p
}

// Query runs a query on the present state. The owner of the network calls it; the query does not change the state.
func (n *Network) Query(q *Query) QueryResult {
	p := &PreparedQuery{network: n, query: q, owner: func(do func()) error { do(); return nil }, inPlace: n.volatile}
	p.captureState()
	return p.Run()
}

// captureState captures the present state.
func (p *PreparedQuery) captureState() {
	n, q := p.network, p.query
	m, refusal := n.queried(q)
	if refusal != nil {
		p.result = QueryResult{Refusal: refusal}
		return
	}
	p.subnet, p.generation = m, n.generation
	p.result = QueryResult{Time: m.Time, Subnet: m.ID}
	if q.Receiver == principal.Management || q.BySubnet {
		answer := n.management.Query(&state.ManagementCall{
			Host: m, State: &m.State, Method: q.Method, Arg: q.Arg, Caller: q.Sender, Target: m.Canisters.Get(q.Effective),
		})
		p.result.Reply, p.result.Reject = answer.Reply, answer.Reject
		return
	}
	h := m.captureTarget(q.Receiver, q.Method, p.inPlace)
	switch {
	case h.answer != nil:
		p.result.Reject = h.answer.Reject
	case q.Transform && h.kind == canister.CompositeQueryMethod:
		p.target = h.target
		p.Discard()
		p.result.Reject = rejectCompositeTransform()
	default:
		p.target = h.target
		p.prepare(h.kind)
	}
}

func (n *Network) queried(q *Query) (*subnet, *refusal.Refusal) {
	if q.BySubnet {
		if position, ok := n.routes.byID[q.Subnet]; ok {
			return n.subnets[position], nil
		}
		return nil, refuse(refusal.Invalid, "subnet %s is not part of this network", q.Subnet).Refusal
	}
	if q.Receiver != principal.Management && q.Receiver != q.Effective {
		return nil, refuse(refusal.Invalid, "the effective canister id is %s, but the query is to canister %s: they must be the same", q.Effective, q.Receiver).Refusal
	}
	if q.Receiver == principal.Management {
		id, anywhere, reject := n.management.Effective(q.Method, q.Arg)
		if reject == nil && !anywhere && id != q.Effective {
			return nil, refuse(refusal.Invalid, "the effective canister id is %s, but method %s is about canister %s: they must be the same", q.Effective, q.Method, id).Refusal
		}
	}
	position := n.routes.find(q.Effective)
	if position < 0 {
		return nil, refuse(refusal.Invalid, "Canister %s does not belong to any subnet.", q.Effective).Refusal
	}
	return n.subnets[position], nil
}

// capturedTarget is what a query of a canister needs from the owner of the network: the canister's state, or the answer
// if nothing must run.
type capturedTarget struct {
	target  *canister.QueryTarget
	kind    canister.MethodKind
	answer  *intercanister.Response
	charged bool   // the answer costs as much as a call within a composite query
	spent   uint64 // instructions of the management canister for the answer
}

func answered(reject *intercanister.Reject) capturedTarget {
	return capturedTarget{answer: &intercanister.Response{Reject: reject}}
}

// captureTarget checks that a canister may be queried and captures its state. In place, a query that calls no other
// canister uses the memories themselves.
func (s *subnet) captureTarget(id principal.Principal, method string, inPlace bool) capturedTarget {
	r := s.Canisters.Get(id)
	if r == nil {
		return answered(rejectNotFound(id))
	}
	if reject := rejectQueryStopped(r.Canister); reject != nil {
		return answered(reject)
	}
	if s.net.executor.Empty(r.Canister) {
		return answered(rejectEmpty(id))
	}
	kind := s.net.executor.Method(r.Canister, method)
	if kind != canister.QueryMethod && kind != canister.CompositeQueryMethod {
		return answered(rejectNoMethod(id, "query", method))
	}
	if !r.Running && charging.Frozen(&s.State, r) {
		h := answered(rejectFrozenQuery(id))
		h.charged = true
		return h
	}
	if reject := rejectNotRunning(r.Canister); reject != nil {
		h := answered(reject)
		h.charged = true
		return h
	}
	if s.Environment.Volatile {
		r.Canister.MakeVolatile()
	}
	prepare := r.Canister.PrepareQuery
	if inPlace && kind == canister.QueryMethod && !r.Running {
		prepare = r.Canister.QueryInPlace
	}
	target, reject := prepare()
	if reject != nil {
		return answered(reject)
	}
	return capturedTarget{target: target, kind: kind}
}

// prepare makes the message of a canister's query, on the captured state.
func (p *PreparedQuery) prepare(kind canister.MethodKind) {
	m, q := p.subnet, p.query
	p.sub = *m.Environment
	p.sub.Time, p.profiler = m.Time, p.network.profiler
	p.message = canister.Message{Context: canister.Query, Method: q.Method, Caller: q.Sender, Payload: q.Arg}
	p.message.CallerInfo, p.message.Signer = q.Info.Parts()
	switch {
	case q.Transform:
		p.message.Context, p.message.Caller = canister.TransformQuery, principal.Management
		return
	case kind == canister.CompositeQueryMethod:
		p.message.Context = canister.CompositeQuery
	}
	if m.Canisters.Get(q.Receiver).Staged.Certified != nil {
		dated, layout, id := p.network.View().Dated(q.Dated), q.Layout, q.Receiver
		shown := dated.shown(m)
		p.message.Certify = func() []byte {
			return dated.Certificate(shown, layout, certify.CanisterPath(id, "certified_data"))
		}
	}
}

// Turns configures how code that runs in parallel with the network shares processors with other such code. With the
// zero value, it runs to the end.
type Turns struct {
	// Pause is called each time SliceInstructions have run and the code continues; it may block.
	Pause func()
	// Canceled reports whether the result is no longer wanted; then the code ends after the slice, with a reject.
	Canceled func() bool
}

// apply sets how a message pauses and ends.
func (t *Turns) apply(m *canister.Message) { m.Pause, m.Canceled = t.Pause, t.Canceled }

// SetTurns sets how the query pauses between slices. It is called before Run.
func (p *PreparedQuery) SetTurns(turns Turns) { p.turns = turns }

// Through sets how the query accesses the network, as composite queries must for the canisters they call: ask runs a
// function on the goroutine that owns the network. Without it Run must be called on that goroutine.
func (p *PreparedQuery) Through(ask func(do func()) error) { p.owner = ask }

// Run runs the query.
func (p *PreparedQuery) Run() QueryResult {
	if p.target == nil {
		return p.result
	}
	if p.message.Context == canister.CompositeQuery {
		return p.compose()
	}
	defer p.Discard()
	p.turns.apply(&p.message)
	out := p.target.Run(&p.sub, &p.message)
	if len(out.Runs) > 0 {
		p.profiler.Queried([]ProfiledMessage{{Canister: p.query.Receiver, Method: p.query.Method, Runs: out.Runs, Instructions: out.Instructions}})
	}
	result := p.result
	result.Instructions = out.Instructions
	if !p.query.Transform {
		result.Count = countOf(p.query.Receiver, p.query.Arg, &out)
	}
	switch {
	case out.Failure != nil:
		result.Reject = out.Failure
		result.Backtrace = p.backtrace(&out)
	case out.Response == nil:
		result.Reject = rejectNoQueryReply(p.query.Receiver)
	default:
		result.Reply, result.Reject = out.Response.Reply, out.Response.Reject
	}
	return result
}

// backtrace returns where the code of a query without calls failed.
func (p *PreparedQuery) backtrace(out *canister.Outcome) []Frame {
	id, module := p.query.Receiver, hashOf(p.target.Module())
	own := trapOf(out, id, module, nil).own
	return append(own, Frame{Canister: id, Function: p.query.Method, Module: module})
}

// Discard releases a query that will not run.
func (p *PreparedQuery) Discard() {
	if p.target != nil {
		p.target.Release()
		p.target = nil
	}
}
