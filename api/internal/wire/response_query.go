package wire

import (
	"crypto/sha256"

	"github.com/canisterd/canisterd/candid/principal"
)

// QueryResponse is the outcome of a query: a rejection if that is not nil, otherwise a reply (interface specification,
// "Request: Query call").
type QueryResponse struct {
	Reply     []byte
	Rejection *Rejection
}

// NodeSignature is a replica node's signature of a query response.
type NodeSignature struct {
	// Timestamp is in nanoseconds since 1970.
	Timestamp uint64
	Signature []byte
	Identity  principal.Principal
}

// Node signs query responses. Sign returns the Ed25519 signature of a message by the node's key; it must not keep the
// message.
type Node struct {
	ID   principal.Principal
	Sign func(message []byte) []byte
}

// EncodeQueryResponse encodes the body of the answer to the query with this id, signed by the node at the time now, in
// nanoseconds since 1970.
func EncodeQueryResponse(resp QueryResponse, id RequestID, now uint64, node Node) []byte {
	sig := NodeSignature{Timestamp: now, Identity: node.ID, Signature: node.Sign(QueryResponseMessage(resp, id, now))}
	if resp.Rejection != nil {
		dst := appendMap(newBody(resp.Rejection.size()+256), 2+resp.Rejection.pairs())
		dst = appendTextField(dst, "status", statusRejected)
		return sig.append(resp.Rejection.append(dst))
	}
	dst := appendMap(newBody(len(resp.Reply)+256), 3)
	dst = appendTextField(dst, "status", statusReplied)
	dst = appendMap(appendText(dst, "reply"), 1)
	return sig.append(appendBlobField(dst, "arg", resp.Reply))
}

func (s NodeSignature) append(dst []byte) []byte {
	dst = appendMap(appendArray(appendText(dst, "signatures"), 1), 3)
	dst = appendNatField(dst, "timestamp", s.Timestamp)
	dst = appendBlobField(dst, "signature", s.Signature)
	return appendBlobField(dst, "identity", s.Identity.Bytes())
}

// QueryResponseMessage returns the bytes that a node signs: the domain separator and the hash of the response with time
// and request id.
func QueryResponseMessage(resp QueryResponse, id RequestID, now uint64) []byte {
	rows := make([]hashRow, 0, 6)
	add := func(key string, value [sha256.Size]byte) {
		rows = append(rows, newHashRow([]byte(key), value))
	}
	add("request_id", sha256.Sum256(id[:]))
	add("timestamp", hashNat(now))
	if r := resp.Rejection; r != nil {
		add("status", sha256.Sum256([]byte(statusRejected)))
		add("reject_code", hashNat(r.Code))
		add("reject_message", sha256.Sum256([]byte(r.Message)))
		if r.ErrorCode != "" {
			add("error_code", sha256.Sum256([]byte(r.ErrorCode)))
		}
	} else {
		add("status", sha256.Sum256([]byte(statusReplied)))
		add("reply", hashRows([]hashRow{newHashRow([]byte("arg"), sha256.Sum256(resp.Reply))}))
	}
	return signedBytes(domainResponse, hashRows(rows))
}
