package wire

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
)

// clientMode reads answers strictly: exact field names, no duplicate fields.
var clientMode = mustDecMode(cbor.DecOptions{
	DupMapKey:         cbor.DupMapKeyEnforcedAPF,
	FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	MaxNestedLevels:   16,
})

func mustDecMode(options cbor.DecOptions) cbor.DecMode {
	mode, err := options.DecMode()
	if err != nil {
		panic("wire: the options for reading answers are wrong: " + err.Error())
	}
	return mode
}

// answer has the fields of all answers.
type answer struct {
	Status        string           `cbor:"status"`
	Certificate   []byte           `cbor:"certificate"`
	Reply         *queryReply      `cbor:"reply"`
	RejectCode    uint64           `cbor:"reject_code"`
	RejectMessage string           `cbor:"reject_message"`
	ErrorCode     string           `cbor:"error_code"`
	Signatures    []querySignature `cbor:"signatures"`
}

type queryReply struct {
	Arg []byte `cbor:"arg"`
}

type querySignature struct {
	Timestamp uint64 `cbor:"timestamp"`
	Signature []byte `cbor:"signature"`
	Identity  []byte `cbor:"identity"`
}

func (a *answer) rejection() *Rejection {
	return &Rejection{Code: a.RejectCode, Message: a.RejectMessage, ErrorCode: a.ErrorCode}
}

func readAnswer(body []byte, of string) (*answer, error) {
	var a answer
	if err := clientMode.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("reading the answer to a %s request: %w", of, err)
	}
	return &a, nil
}

// DecodeStatus reads the body of a status answer.
func DecodeStatus(body []byte) (Status, error) {
	var s struct {
		RootKey         []byte `cbor:"root_key"`
		ImplVersion     string `cbor:"impl_version"`
		ImplHash        string `cbor:"impl_hash"`
		Health          string `cbor:"replica_health_status"`
		CertifiedHeight uint64 `cbor:"certified_height"`
	}
	if err := clientMode.Unmarshal(body, &s); err != nil {
		return Status{}, fmt.Errorf("reading the answer to a status request: %w", err)
	}
	return Status(s), nil
}

// CallResponse is the answer to a call: a certificate with the outcome, or the rejection of a request that did not
// enter.
type CallResponse struct {
	Certificate []byte
	Rejection   *Rejection
}

// DecodeCallResponse reads the body of a call answer with HTTP status 200, of the synchronous or the asynchronous
// endpoint.
func DecodeCallResponse(body []byte) (CallResponse, error) {
	a, err := readAnswer(body, "call")
	if err != nil {
		return CallResponse{}, err
	}
	switch {
	case a.Status == statusReplied && a.Certificate != nil:
		return CallResponse{Certificate: a.Certificate}, nil
	case a.RejectCode != 0 && (a.Status == statusNonReplicated || a.Status == ""):
		return CallResponse{Rejection: a.rejection()}, nil
	}
	return CallResponse{}, fmt.Errorf("reading the answer to a call request: status %q with neither certificate nor reject code", a.Status)
}

// DecodeQueryResponse reads the body of a query answer and the signatures of the nodes, which cover
// QueryResponseMessage.
func DecodeQueryResponse(body []byte) (QueryResponse, []NodeSignature, error) {
	a, err := readAnswer(body, "query")
	if err != nil {
		return QueryResponse{}, nil, err
	}
	var signatures []NodeSignature
	for _, s := range a.Signatures {
		node, err := principal.FromBytes(s.Identity)
		if err != nil {
			return QueryResponse{}, nil, fmt.Errorf("reading a node signature: %w", err)
		}
		signatures = append(signatures, NodeSignature{s.Timestamp, s.Signature, node})
	}
	switch {
	case a.Status == statusReplied && a.Reply != nil:
		return QueryResponse{Reply: a.Reply.Arg}, signatures, nil
	case a.Status == statusRejected:
		return QueryResponse{Rejection: a.rejection()}, signatures, nil
	}
	return QueryResponse{}, nil, fmt.Errorf("reading the answer to a query request: status %q", a.Status)
}

// DecodeReadStateResponse returns the certificate in a read_state answer.
func DecodeReadStateResponse(body []byte) ([]byte, error) {
	a, err := readAnswer(body, "read_state")
	if err != nil {
		return nil, err
	}
	if a.Certificate == nil {
		return nil, fmt.Errorf("reading the answer to a read_state request: no certificate")
	}
	return a.Certificate, nil
}
