package replica

import (
	"bytes"
	"math"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// composite is one run of a composite query: the tree of queries that it calls, on one subnet (interface specification,
// "Composite query calls"). All of them see the same state.
type composite struct {
	query  *PreparedQuery
	owner  func(do func()) error
	turns  Turns
	spent  uint64
	failed *intercanister.Reject // of the whole run
	counts []QueryCount
	stack  []Frame // the running queries, outermost first
	traps  traps

	profiled []ProfiledMessage
	made     intercanister.CallID // number of the last call

	calls []nestedCall // that asked the owner, or were captured before
	ready []readyCall  // state captured before it was requested
	moved bool         // the network has moved on: what is still to be captured has another height
}

// nestedCall is a call that a query made.
type nestedCall struct {
	caller  principal.Principal
	request *intercanister.Request
}

func (a *nestedCall) same(b *nestedCall) bool {
	return a.caller == b.caller && a.request.Receiver == b.request.Receiver && a.request.Method == b.request.Method &&
		bytes.Equal(a.request.Payload, b.request.Payload)
}

type readyCall struct {
	nestedCall
	capturedTarget
}

// compose runs a composite query and everything it calls. If the network moves on meanwhile, states that are still to
// be captured would have another height than the captured ones: then the query restarts, with the states of all its
// calls so far captured together, and finally on the goroutine of the owner.
func (p *PreparedQuery) compose() (result QueryResult) {
	defer p.Discard()
	var calls []nestedCall
	for range MaxCompositeAttempts {
		c := &composite{query: p, owner: p.owner, turns: p.turns}
		if calls != nil {
			if err := p.owner(func() { p.again(c, calls) }); err != nil {
				return p.abandoned(err)
			}
		}
		result = c.run()
		if !c.moved {
			return result
		}
		calls = c.calls
	}
	err := p.owner(func() {
		// The owner's goroutine must not pause: everything else waits for it.
		c := &composite{query: p, owner: func(do func()) error { do(); return nil }, turns: Turns{Canceled: p.turns.Canceled}}
		p.again(c, nil)
		result = c.run()
	})
	if err != nil {
		return p.abandoned(err)
	}
	return result
}

// abandoned returns the result of a query whose network was closed.
func (p *PreparedQuery) abandoned(err error) QueryResult {
	result := p.result
	result.Reject = rejectAbandoned(err)
	return result
}

// again captures the current state, including the state for some calls.
func (p *PreparedQuery) again(c *composite, calls []nestedCall) {
	p.Discard()
	p.captureState()
	if p.target == nil {
		return
	}
	for _, call := range calls {
		c.ready = append(c.ready, readyCall{call, p.subnet.captureCallee(&call)})
	}
}

// run runs the whole tree.
func (c *composite) run() QueryResult {
	p := c.query
	if p.target == nil {
		return p.result
	}
	defer c.release()
	response := c.frame(p.target, &p.message, p.query.Receiver, 0, 0)
	if len(c.profiled) > 0 && !c.moved {
		p.profiler.Queried(c.profiled)
	}
	result := p.result
	result.Instructions = c.spent
	result.Reply, result.Reject = response.Reply, response.Reject
	if c.failed != nil {
		result.Reply, result.Reject = nil, c.failed
	}
	if result.Reject != nil {
		result.Backtrace = c.traps.backtrace(RequestID{}, result.Reject.Text)
	}
	result.Count, result.Nested = c.counts[0], c.counts[1:]
	return result
}

func (c *composite) release() {
	for _, r := range c.ready {
		if r.target != nil {
			r.target.Release()
		}
	}
}

// frame runs one query method. If the method does not answer, its calls run in order, each with its callback. The first
// answer ends it.
func (c *composite) frame(target *canister.QueryTarget, m *canister.Message, id principal.Principal, caused intercanister.CallID, depth int) intercanister.Response {
	made := make(map[principal.Principal]int) // calls, by callee: their slots do not become free again
	m.Room = func(callee principal.Principal) int { return intercanister.QueueCapacity - made[callee] }
	m.Callbacks, m.MessageRoom = c.query.network.config.SubnetCallbacks, math.MaxUint64
	c.stack = append(c.stack, Frame{Canister: id, Function: m.Method, Module: hashOf(target.Module())})
	defer func() { c.stack = c.stack[:len(c.stack)-1] }()
	out := c.execute(target, m)
	c.counts = append(c.counts, countOf(id, m.Payload, &out))
	executed := out.Instructions
	if depth > 0 {
		c.spent += CompositeCallInstructions
	}
	profiled := ProfiledMessage{Canister: id, Method: m.Method, Caused: CallRef{Call: caused}}
	var calls []numberedCall
	for called := false; ; called = true {
		for i := range out.Calls {
			made[out.Calls[i].Request.Receiver]++
			c.made++
			calls = append(calls, numberedCall{&out.Calls[i], c.made})
		}
		c.profile(profiled, &out, calls[len(calls)-len(out.Calls):])
		switch {
		case out.Failure != nil && len(calls) == 0:
			return intercanister.Response{Reject: out.Failure}
		case out.Failure == nil && out.Response != nil:
			return *out.Response
		case !(called && len(calls) == 0) && c.over(depth):
			return intercanister.Response{}
		case len(calls) == 0:
			return intercanister.Response{Reject: rejectNoQueryReply(id)}
		}
		call := calls[0]
		calls = calls[1:]
		response := c.call(id, call, depth+1)
		response.Reject = response.Reject.WithoutCode()
		if c.failed != nil || c.over(depth) {
			return intercanister.Response{}
		}
		out = c.execute(target, callbackOf(m, call.Call, &response, executed))
		profiled.Caused.Call, profiled.Answer = call.number, true
		executed += out.Instructions
	}
}

// numberedCall is a call that a query made, with its number in the profile of the whole run.
type numberedCall struct {
	*canister.Call
	number intercanister.CallID
}

// profile keeps the profile of a message with the calls that it has made.
func (c *composite) profile(m ProfiledMessage, out *canister.Outcome, calls []numberedCall) {
	if m.Runs, m.Instructions = out.Runs, out.Instructions; len(m.Runs) == 0 {
		return
	}
	for _, call := range calls {
		m.Calls = append(m.Calls, ProfiledCall{CallRef{Call: call.number}, call.Request.Receiver, call.Request.Method})
	}
	c.profiled = append(c.profiled, m)
}

// callbackOf returns the message that delivers the response to a call of a query.
func callbackOf(m *canister.Message, call *canister.Call, response *intercanister.Response, executed uint64) *canister.Message {
	callback := &canister.Message{
		Context: canister.CompositeReply, Closure: call.Reply, Cleanup: call.Cleanup, Called: call.Request.Method, Caller: m.Caller,
		Payload: response.Reply, Reject: response.Reject, PriorInstructions: executed,
		CallerInfo: m.CallerInfo, Signer: m.Signer, Room: m.Room, Callbacks: m.Callbacks, MessageRoom: m.MessageRoom,
	}
	if response.Reject != nil {
		callback.Context, callback.Closure = canister.CompositeReject, call.Reject
	}
	return callback
}

// over reports whether the whole query fails: queries are nested too deep, or instructions or time are used up.
func (c *composite) over(depth int) bool {
	switch p := c.query; {
	case depth >= MaxCompositeDepth:
		c.failed = rejectTooDeep()
	case c.spent >= p.sub.Limits.Query:
		c.failed = rejectGraphInstructions()
	case p.query.Late != nil && p.query.Late():
		c.failed = rejectLateQuery()
	case c.turns.Canceled != nil && c.turns.Canceled():
		c.failed = rejectCanceled()
	}
	return c.failed != nil
}

// execute runs one message with the remaining instructions.
func (c *composite) execute(target *canister.QueryTarget, m *canister.Message) canister.Outcome {
	sub := c.query.sub
	sub.Limits.Query -= min(sub.Limits.Query, c.spent)
	c.turns.apply(m)
	out := target.Run(&sub, m)
	c.spent += out.Instructions
	if out.Failure != nil {
		callers := slices.Clone(c.stack)
		slices.Reverse(callers)
		c.traps.add(trapOf(&out, callers[0].Canister, callers[0].Module, callers))
	}
	return out
}

// call runs a call of a query.
func (c *composite) call(caller principal.Principal, call numberedCall, depth int) intercanister.Response {
	q := &call.Request
	h := c.captureCallee(&nestedCall{caller, q})
	switch {
	case c.failed != nil:
		return intercanister.Response{}
	case h.answer != nil:
		if h.charged {
			c.spent += CompositeCallInstructions + h.spent
		}
		return *h.answer
	}
	defer h.target.Release()
	m := &canister.Message{Context: canister.Query, Method: q.Method, Caller: caller, Payload: q.Payload}
	if h.kind == canister.CompositeQueryMethod {
		m.Context = canister.CompositeQuery
	}
	return c.frame(h.target, m, q.Receiver, call.number, depth)
}

// captureCallee captures the state that a call needs, at the height of all others.
func (c *composite) captureCallee(call *nestedCall) (h capturedTarget) {
	c.calls = append(c.calls, *call)
	for i := range c.ready {
		if c.ready[i].same(call) {
			h = c.ready[i].capturedTarget
			c.ready = append(c.ready[:i], c.ready[i+1:]...)
			return h
		}
	}
	p := c.query
	err := c.owner(func() {
		if c.moved = p.generation != p.network.generation; !c.moved {
			h = p.subnet.captureCallee(call)
		}
	})
	switch {
	case err != nil:
		c.failed = rejectAbandoned(err)
	case c.moved:
		c.failed = rejectMoved()
	}
	return h
}

// captureCallee captures the state that a call of a query needs, on the owner's goroutine.
func (s *subnet) captureCallee(call *nestedCall) capturedTarget {
	q := call.request
	to := s.net.managementOf(q.Receiver, s)
	if to == nil {
		return s.captureTarget(q.Receiver, q.Method, false)
	}
	if id, anywhere, reject := s.net.management.Effective(q.Method, q.Payload); to == s && reject == nil && !anywhere {
		if position := s.net.routes.find(id); position >= 0 {
			to = s.net.subnets[position]
		}
	}
	if to != s {
		// The replica treats the id of the other subnet as the id of a canister here.
		return answered(rejectNotFound(to.ID))
	}
	a := s.net.management.Query(&state.ManagementCall{
		Host: s, State: &s.State, Method: q.Method, Arg: q.Payload, Caller: call.caller, Sender: s.Canisters.Get(call.caller),
	})
	charged := a.Reject == nil || a.Reject.Error != intercanister.CanisterMethodNotFound
	return capturedTarget{answer: &intercanister.Response{Reply: a.Reply, Reject: a.Reject}, charged: charged, spent: a.Instructions}
}
