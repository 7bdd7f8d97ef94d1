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
	Canister    principal.Principal // the canister that asks
	Method      string              // GET, HEAD, POST, PUT, DELETE or PATCH
	URL         string
	Headers     [][2]string
	Body        []byte
	MaxResponse uint64 // bytes
	Bounded     bool   // the canister gave MaxResponse
	Transform   *Transform
	Replicated  bool // every node makes the request, not one alone
	Node        int  // which, where Replicated is false and it is not flexible

	// Members are the nodes that make a flexible outcall, by number; empty for other outcalls. Min of them must answer,
	// at most Max of their responses are delivered.
	Members  []int
	Min, Max uint32

	// PayAsYouGo is set where pricing version 2 holds: each node that makes the request
	// may spend Allowance. Download is what that allows a node to read of a response, in
	// bytes, at most MaxResponse.
	PayAsYouGo bool
	Allowance  cycles.Amount
	Download   uint64
}

// Flexible reports whether each node's response is delivered for itself.
func (o *Outcall) Flexible() bool { return len(o.Members) > 0 }

// DownloadLimit is how many bytes of a response a node reads.
func (o *Outcall) DownloadLimit() uint64 {
	if o.PayAsYouGo {
		return o.Download
	}
	return o.MaxResponse
}

// Committee is the replication of the outcall, for its price.
func (o *Outcall) Committee() cycles.Committee {
	switch {
	case o.Flexible():
		return cycles.Committee{Replication: cycles.Flexible, Total: uint32(len(o.Members)), Min: o.Min, Max: o.Max}
	case o.Replicated:
		return cycles.Committee{}
	}
	return cycles.Committee{Replication: cycles.NonReplicated}
}

// Transform is the query method of the asking canister that an answer goes
// through before nodes compare theirs.
type Transform struct {
	Method  string
	Context []byte
}

// OutcallAnswer is the outside's answer to one node: a response, or a reject.
type OutcallAnswer struct {
	Status  uint16
	Headers [][2]string
	Body    []byte
	Reject  *intercanister.Reject
}

// OutcallContent is what a node has made of its answer and compares with the
// others': the reply the canister is to get, or a reject.
type OutcallContent struct {
	Reply  []byte
	Reject *intercanister.Reject
	Spent  cycles.Amount // of the node's allowance
}

// PendingOutcall is an HTTP outcall that is not answered.
type PendingOutcall struct {
	Ticket Ticket
	Sent   Outcall
	Expiry timers.Handle
	// Withheld are the allowances of all nodes. What they leave goes back to the canister
	// when the outcall is answered.
	Withheld cycles.Amount
}
