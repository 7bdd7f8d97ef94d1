package state

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// Outcall is an HTTP request to the outside world (interface specification, "IC
// method http_request").
type Outcall struct {
	Canister    principal.Principal // the canister that made it
	Method      string              // GET, HEAD, POST, PUT, DELETE or PATCH
	URL         string
	Headers     [][2]string
	Body        []byte
	MaxResponse uint64 // bytes
	Bounded     bool   // the canister gave MaxResponse
	Transform   *Transform
	Replicated  bool // every node makes the request, not one alone
	Node        int  // the node, if Replicated is false and it is not flexible

	// Members are the nodes that make a flexible outcall, by number; empty for other outcalls. Min of them must answer,
	// at most Max of their responses are delivered.
	Members  []int
	Min, Max uint32

	// PayAsYouGo is set for pricing version 2: each node that makes the request may spend Allowance. Download is how
	// much of a response a node can read for that, in bytes, at most MaxResponse.
	PayAsYouGo bool
	Allowance  cycles.Amount
	Download   uint64
}

// Flexible reports whether each node's response is delivered separately.
func (o *Outcall) Flexible() bool { return len(o.Members) > 0 }

// DownloadLimit returns how many bytes of a response a node reads.
func (o *Outcall) DownloadLimit() uint64 {
	if o.PayAsYouGo {
		return o.Download
	}
	return o.MaxResponse
}

// Committee returns the replication of the outcall, for its price.
func (o *Outcall) Committee() cycles.Committee {
	switch {
	case o.Flexible():
		return cycles.Committee{Replication: cycles.Flexible, Total: uint32(len(o.Members)), Min: o.Min, Max: o.Max}
	case o.Replicated:
		return cycles.Committee{}
	}
	return cycles.Committee{Replication: cycles.NonReplicated}
}

// Transform is the query method of the calling canister that transforms an answer before nodes compare theirs.
type Transform struct {
	Method  string
	Context []byte
}

// OutcallAnswer is the answer from outside to one node: a response, or a reject.
type OutcallAnswer struct {
	Status  uint16
	Headers [][2]string
	Body    []byte
	Reject  *intercanister.Reject
}

// OutcallContent is a node's result for its answer, which it compares with the others': the reply for the canister, or
// a reject.
type OutcallContent struct {
	Reply  []byte
	Reject *intercanister.Reject
	Spent  cycles.Amount // of the node's allowance
}

// PendingOutcall is an unanswered HTTP outcall.
type PendingOutcall struct {
	Ticket Ticket
	Sent   Outcall
	Expiry timers.Handle
	// Withheld are the allowances of all nodes. The unspent part returns to the canister when the outcall is answered.
	Withheld cycles.Amount
}
