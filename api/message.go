package api

import (
	"github.com/canisterd/canisterd/replica"
)

// What front ends and the network exchange, as types of package replica.
type (
	RequestID     = replica.RequestID
	Ingress       = replica.Ingress
	IngressAnswer = replica.IngressAnswer
	Query         = replica.Query
	QueryResult   = replica.QueryResult
	Receipt       = replica.Receipt
)

// Replied is the status of an answer with a reply.
const Replied = replica.Replied

// EnvelopeBytes is what a call without an envelope pays for in addition to its method and argument.
const EnvelopeBytes = replica.EnvelopeBytes
