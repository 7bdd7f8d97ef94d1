package management

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/outcall"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// httpRequest is http_request: a request to the outside world, paid for in advance
// by its size and the greatest response it allows.
func httpRequest(c *state.Command, a *httpRequestArg) state.Answer {
	sent, reject := outcallOf(c, a)
	if reject != nil {
		return state.Fail(reject)
	}
	if len(c.State.Outcalls) >= outcall.MaxInFlight {
		return state.Fail(rejectInFlight())
	}
	fee := c.Machine.Subnet().Fees.Outcall(outcall.RequestBytes(&sent), sent.MaxResponse)
	if c.Attached.Less(fee) {
		return state.Fail(rejectOutcallFee(c.Attached, fee))
	}
	c.Accept(fee)
	if c.Sender != nil {
		paid := &c.Sender.Canister.Consumed.Outcalls
		*paid = paid.Add(fee)
	}
	c.Machine.Outcall(c.Ticket(), sent)
	return state.Later()
}

// outcallOf is the outcall an argument asks for. Of one that is not replicated, the
// nodes take turns.
func outcallOf(c *state.Command, a *httpRequestArg) (sent state.Outcall, reject *intercanister.Reject) {
	sent = state.Outcall{Canister: c.Caller, URL: a.URL, MaxResponse: outcall.MaxResponseBytes, Replicated: a.Replicated == nil || *a.Replicated}
	for i := range a.Headers {
		sent.Headers = append(sent.Headers, [2]string{a.Headers[i].Name, a.Headers[i].Value})
	}
	if a.Body != nil {
		sent.Body = *a.Body
	}
	if t := a.Transform; t != nil {
		if t.Function.Service != c.Caller {
			return sent, rejectTransform(c.Caller, t.Function.Service)
		}
		sent.Transform = &state.Transform{Method: t.Function.Method, Context: t.Context}
	}
	if len(sent.URL) > outcall.MaxURLBytes {
		return sent, rejectURL(len(sent.URL))
	}
	if fault := outcall.Check(sent.Headers, sent.Body); fault != "" {
		return sent, rejectOutcall(fault)
	}
	if a.MaxResponse != nil {
		if *a.MaxResponse > outcall.MaxResponseBytes {
			return sent, rejectMaxResponse(*a.MaxResponse)
		}
		sent.MaxResponse, sent.Bounded = *a.MaxResponse, true
	}
	var everybody bool
	if sent.Method, everybody = a.Method.name(); sent.Replicated && !everybody {
		return sent, rejectReplicated()
	}
	if !sent.Replicated {
		sent.Node = int(c.State.OutcallsMade % uint64(c.State.Nodes))
	}
	return sent, nil
}
