package wire

// Rejection says why a request was not executed: reject code 1 to 6, message, and the replica's error code such as
// IC0503, which is omitted if empty (interface specification, "Reject codes").
type Rejection struct {
	Code      uint64
	Message   string
	ErrorCode string
}

// Texts of the field `status` in answers.
const (
	statusReplied       = "replied"
	statusRejected      = "rejected"
	statusNonReplicated = "non_replicated_rejection"
)

func (r Rejection) pairs() int {
	if r.ErrorCode == "" {
		return 2
	}
	return 3
}

func (r Rejection) size() int { return len(r.Message) + len(r.ErrorCode) }

func (r Rejection) append(dst []byte) []byte {
	dst = appendNatField(dst, "reject_code", r.Code)
	dst = appendTextField(dst, "reject_message", r.Message)
	if r.ErrorCode != "" {
		dst = appendTextField(dst, "error_code", r.ErrorCode)
	}
	return dst
}

// EncodeCallReplied encodes the answer of the synchronous call endpoints to a request with an outcome: the certificate
// has the reply or the reject (interface specification, "Request: Call", synchronous).
func EncodeCallReplied(certificate []byte) []byte {
	dst := appendMap(newBody(len(certificate)), 2)
	dst = appendTextField(dst, "status", statusReplied)
	return appendBlobField(dst, "certificate", certificate)
}

// EncodeNonReplicatedRejection encodes the answer of the synchronous call endpoints to a request that did not enter the
// state.
func EncodeNonReplicatedRejection(r Rejection) []byte {
	dst := appendMap(newBody(r.size()), 1+r.pairs())
	dst = appendTextField(dst, "status", statusNonReplicated)
	return r.append(dst)
}

// EncodeAsyncRejection encodes the answer of the asynchronous call endpoint (/api/v2/…/call) to a request that did not
// enter the state.
func EncodeAsyncRejection(r Rejection) []byte {
	return r.append(appendMap(newBody(r.size()), r.pairs()))
}
