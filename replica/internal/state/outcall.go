package state

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/timers"
)

// Outcall is an HTTP request to the outside world (interface specification, "IC
// method http_request").
type Outcall struct {
	Canister    principal.Principal // who asks
	Method      string              // GET, HEAD, POST, PUT, DELETE or PATCH
	URL         string
	Headers     [][2]string
	Body        []byte
	MaxResponse uint64 // bytes
	Bounded     bool   // the canister gave MaxResponse
	Transform   *Transform
	Replicated  bool // every node makes the request, not one alone
	Node        int  // which, where Replicated is false
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
}

// PendingOutcall is an HTTP outcall that is not answered.
type PendingOutcall struct {
	Ticket Ticket
	Sent   Outcall
	Expiry timers.Handle
}
