package api

import (
	"github.com/canisterd/canisterd/replica"
)

// What front ends and the network exchange, in the words of package replica.
type (
	RequestID   = replica.RequestID
	Ingress     = replica.Ingress
	Query       = replica.Query
	QueryResult = replica.QueryResult
	Receipt     = replica.Receipt
)

// EnvelopeBytes is what a call that enters without an envelope pays for beyond its method and argument.
const EnvelopeBytes = replica.EnvelopeBytes
