package management

import (
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/outcall"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// httpRequest implements http_request: a request to the outside world, paid for in advance by its size and its maximum
// response.
func httpRequest(c *state.ManagementCall, a *httpRequestArg) state.Answer {
	sent, reject := outcallOf(c, a)
	if reject != nil {
		return state.Fail(reject)
	}
	return makeOutcall(c, &sent, a.Pricing != nil && *a.Pricing == payAsYouGo)
}

// payAsYouGo is the pricing version of outcalls that is not the default. Any other number means the default, as in the
// replica.
const payAsYouGo = 2

// makeOutcall takes the price of an outcall and passes it to the outside. For version 2 that is the base fee, and the
// budgets of the nodes.
func makeOutcall(c *state.ManagementCall, sent *state.Outcall, metered bool) state.Answer {
	if len(c.State.Outcalls) >= outcall.MaxInFlight {
		return state.Fail(rejectInFlight())
	}
	fees := &c.State.Environment.Fees
	fee := fees.Outcall(outcall.RequestBytes(sent), sent.MaxResponse)
	if metered {
		fee = fees.OutcallBaseFee(outcall.RequestBytes(sent), sent.Committee())
	}
	if c.Attached.Less(fee) {
		return state.Fail(rejectFee(c.Method, c.Attached, fee))
	}
	c.Accept(fee)
	if c.Sender != nil {
		paid := &c.Sender.Canister.Consumed.Outcalls
		*paid = paid.Add(fee)
	}
	var withheld cycles.Amount
	if metered {
		withheld = c.Accept(outcall.Withhold(fees, sent, c.Attached))
	}
	return state.Answer{When: state.Deferred, Effect: state.SendOutcall, Outcall: sent, Withheld: withheld}
}

// flexibleHTTPRequest implements flexible_http_request: a request by a committee of nodes, whose responses are
// delivered individually.
func flexibleHTTPRequest(c *state.ManagementCall, a *flexibleRequestArg) state.Answer {
	sent, everybody, reject := requestOf(c, a.request())
	if reject != nil {
		return state.Fail(reject)
	}
	nodes := uint32(c.State.Nodes)
	counts := replicationArg{Min: 2*nodes/3 + 1, Max: nodes, Total: nodes}
	if a.Replication != nil {
		counts = *a.Replication
	}
	if reject := counts.check(nodes, everybody); reject != nil {
		return state.Fail(reject)
	}
	sent.Min, sent.Max = counts.Min, counts.Max
	for i := range uint64(counts.Total) {
		sent.Members = append(sent.Members, int((c.State.OutcallsMade+i)%uint64(nodes)))
	}
	slices.Sort(sent.Members)
	return makeOutcall(c, &sent, true)
}

// check returns why a subnet with this number of nodes cannot make a request with these counts. A request with side
// effects needs the same number of requests and responses.
func (a *replicationArg) check(nodes uint32, everybody bool) *intercanister.Reject {
	switch {
	case a.Total < 1:
		return rejectReplication("total_requests (%d) must be at least 1", a.Total)
	case a.Total > nodes:
		return rejectReplication("total_requests (%d) must not exceed the number of available nodes (%d)", a.Total, nodes)
	case a.Min > a.Max:
		return rejectReplication("min_responses (%d) must not exceed max_responses (%d)", a.Min, a.Max)
	case a.Max > a.Total:
		return rejectReplication("max_responses (%d) must not exceed total_requests (%d)", a.Max, a.Total)
	case !everybody && (a.Min != a.Max || a.Max != a.Total):
		return rejectReplication("The requested HTTP method is only allowed for flexible requests with min_responses = max_responses = total_requests.")
	}
	return nil
}

// outcallOf returns the outcall for an argument. The nodes take turns for outcalls that are not replicated.
func outcallOf(c *state.ManagementCall, a *httpRequestArg) (sent state.Outcall, reject *intercanister.Reject) {
	sent, everybody, reject := requestOf(c, a)
	if reject != nil {
		return sent, reject
	}
	if sent.Replicated = a.Replicated == nil || *a.Replicated; sent.Replicated && !everybody {
		return sent, rejectReplicated()
	}
	if !sent.Replicated {
		sent.Node = int(c.State.OutcallsMade % uint64(c.State.Nodes))
	}
	return sent, nil
}

// requestOf returns the request of an argument, and whether every node may make it.
func requestOf(c *state.ManagementCall, a *httpRequestArg) (sent state.Outcall, everybody bool, reject *intercanister.Reject) {
	sent = state.Outcall{Canister: c.Caller, URL: a.URL, MaxResponse: outcall.MaxResponseBytes}
	for i := range a.Headers {
		sent.Headers = append(sent.Headers, [2]string{a.Headers[i].Name, a.Headers[i].Value})
	}
	if a.Body != nil {
		sent.Body = *a.Body
	}
	if t := a.Transform; t != nil {
		if t.Function.Service != c.Caller {
			return sent, false, rejectTransform(c.Caller, t.Function.Service)
		}
		sent.Transform = &state.Transform{Method: t.Function.Method, Context: t.Context}
	}
	if len(sent.URL) > outcall.MaxURLBytes {
		return sent, false, rejectURL(len(sent.URL))
	}
	if fault := outcall.Check(sent.Headers, sent.Body); fault != "" {
		return sent, false, rejectOutcall(fault)
	}
	if a.MaxResponse != nil {
		if *a.MaxResponse > outcall.MaxResponseBytes {
			return sent, false, rejectMaxResponse(*a.MaxResponse)
		}
		sent.MaxResponse, sent.Bounded = *a.MaxResponse, true
	}
	sent.Method, everybody = a.Method.name()
	return sent, everybody, nil
}
