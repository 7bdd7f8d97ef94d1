package api

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// What front ends and the network exchange, in the words of package replica.
type (
	RequestID   = replica.RequestID
	Ingress     = replica.Ingress
	Query       = replica.Query
	QueryResult = replica.QueryResult
)

// Receipt is what became of an ingress message: nothing but zero values where it
// was taken.
type Receipt struct {
	Reject *intercanister.Reject // non-replicated rejection; nothing happened
	Known  replica.Status        // where the message stands that was handed in before
}
