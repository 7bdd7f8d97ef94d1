package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// composite is one run of a composite query: the tree of queries it calls, on
// one subnet (interface specification, "Composite query calls").
type composite struct {
	query  *PreparedQuery
	spent  uint64
	failed *intercanister.Reject // of the whole: too deep, or too many instructions
}

// held is what a nested query needs of the owner of the network.
type held struct {
	target *canister.QueryTarget
	kind   MethodKind
	answer *intercanister.Response // the answer itself: a reject, or the management canister's
}

// compose runs a composite query and everything it calls.
func (p *PreparedQuery) compose() (intercanister.Response, uint64) {
	c := &composite{query: p}
	response := c.frame(p.target, &p.message, p.id, 0)
	if c.failed != nil {
		response = intercanister.Response{Reject: c.failed}
	}
	return response, c.spent
}

// frame runs one query method and the callbacks of the calls it makes, in the
// order they were made.
func (c *composite) frame(target *canister.QueryTarget, m *canister.Message, id principal.Principal, depth int) intercanister.Response {
	out := c.execute(target, m)
	answer, failure, calls := out.Response, out.Failure, out.Calls
	for len(calls) > 0 && c.failed == nil {
		call := calls[0]
		calls = calls[1:]
		response := c.call(id, &call, depth+1)
		if c.failed != nil {
			break
		}
		callback := &canister.Message{
			Context: canister.CompositeReply, Closure: call.Reply, Cleanup: call.Cleanup, Caller: m.Caller,
			CallerInfo: m.CallerInfo, Signer: m.Signer,
			Payload: response.Reply, Reject: response.Reject, Responded: answer != nil, PriorInstructions: c.spent,
		}
		if response.Reject != nil {
			callback.Context, callback.Closure = canister.CompositeReject, call.Reject
		}
		out := c.execute(target, callback)
		failure = out.Failure
		if answer == nil {
			answer = out.Response
		}
		calls = append(calls, out.Calls...)
	}
	switch {
	case answer != nil:
		return *answer
	case failure != nil:
		return intercanister.Response{Reject: failure}
	}
	return intercanister.Response{Reject: rejectNoQueryReply(id)}
}

// execute runs one message within what is left of the instructions.
func (c *composite) execute(target *canister.QueryTarget, m *canister.Message) canister.Outcome {
	sub := c.query.sub
	sub.Limits.Query -= min(sub.Limits.Query, c.spent)
	out := target.Run(&sub, m)
	c.spent += out.Instructions
	if c.spent >= c.query.sub.Limits.Query {
		c.failed = intercanister.Rejectf(intercanister.QueryCallGraphTotalInstructionLimitExceeded, "Composite query calls exceeded the instruction limit.")
	}
	return out
}

// call runs a call that a query made.
func (c *composite) call(caller principal.Principal, call *canister.Call, depth int) intercanister.Response {
	c.spent += CompositeCallInstructions
	if depth > MaxCompositeDepth {
		c.failed = intercanister.Rejectf(intercanister.QueryCallGraphTooDeep, "Composite query calls exceeded the maximum call depth.")
		return intercanister.Response{}
	}
	q := &call.Request
	var h held
	if err := c.query.owner(func() { h = c.query.machine.hold(caller, q) }); err != nil {
		c.failed = intercanister.Rejectf(intercanister.QueryCallGraphInternal, "The query was abandoned: %v", err)
		return intercanister.Response{}
	}
	if h.answer != nil {
		return *h.answer
	}
	defer h.target.Release()
	m := &canister.Message{Context: canister.Query, Method: q.Method, Caller: caller, Payload: q.Payload}
	if h.kind == CompositeMethod {
		m.Context = canister.CompositeQuery
	}
	return c.frame(h.target, m, q.Receiver, depth)
}

// hold takes hold of what a nested query needs, on the owner's goroutine.
func (m *machine) hold(caller principal.Principal, q *intercanister.Request) held {
	if m.net.managementOf(q.Receiver, m) != nil {
		a := m.net.management.Query(&state.Command{
			Machine: m, State: &m.State, Method: q.Method, Arg: q.Payload, Caller: caller, Sender: m.Residents.Get(caller),
		})
		return held{answer: &intercanister.Response{Reply: a.Reply, Reject: a.Reject}}
	}
	target, reject := m.target(&Query{Receiver: q.Receiver, Method: q.Method})
	if reject != nil {
		return held{answer: &intercanister.Response{Reject: reject}}
	}
	return held{target: target, kind: m.net.executor.Method(m.Residents.Get(q.Receiver).Canister, q.Method)}
}
