package certify

// DomainResponse separates node signatures on query responses from all others.
const DomainResponse = "\x0bic-response"

// QueryResponse is the part of a response to a query that a node signs (interface specification, "Request: Query call":
// verify_response). It is a reply unless RejectCode is set.
type QueryResponse struct {
	RequestID [32]byte
	Time      uint64 // nanoseconds since 1970, sent as timestamp

	Reply []byte // the reply's arg

	RejectCode    uint64 // 1 to 6; 0 for a reply
	RejectMessage string
	ErrorCode     string // "" if the response has none
}

// SignedBytes returns the message the node signs and the client verifies.
func (q *QueryResponse) SignedBytes() []byte {
	fields := Fields{
		{"request_id", Blob(q.RequestID[:])},
		{"timestamp", Nat64(q.Time)},
	}
	if q.RejectCode == 0 {
		fields = append(fields, Field{"status", Text("replied")}, Field{"reply", Fields{{"arg", Blob(q.Reply)}}})
	} else {
		fields = append(fields, Field{"status", Text("rejected")},
			Field{"reject_code", Nat64(q.RejectCode)}, Field{"reject_message", Text(q.RejectMessage)})
		if q.ErrorCode != "" {
			fields = append(fields, Field{"error_code", Text(q.ErrorCode)})
		}
	}
	h := HashOfMap(fields)
	return append([]byte(DomainResponse), h[:]...)
}
