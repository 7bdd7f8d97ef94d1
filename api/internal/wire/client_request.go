package wire

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// Draft is an unsigned request. IngressExpiry is in nanoseconds since 1970; a nil Nonce or SenderInfo is omitted.
type Draft struct {
	IngressExpiry uint64
	Nonce         []byte
	SenderInfo    *SenderInfo

	kind    Kind
	message Message
	paths   []Path
}

// NewCall drafts an update call.
func NewCall(canister principal.Principal, method string, arg []byte) *Draft {
	return &Draft{kind: KindCall, message: Message{canister, method, arg}}
}

// NewQuery drafts a query call.
func NewQuery(canister principal.Principal, method string, arg []byte) *Draft {
	return &Draft{kind: KindQuery, message: Message{canister, method, arg}}
}

// NewReadState drafts a request for a certificate of these paths.
func NewReadState(paths ...Path) *Draft {
	return &Draft{kind: KindReadState, paths: paths}
}

// Signed is a request ready to be posted.
type Signed struct {
	ID   RequestID
	Body []byte
}

// Sign signs the draft as the identity.
func (d *Draft) Sign(id Identity) (Signed, error) {
	content := d.content(id.Sender())
	it, err := document(content)
	if err != nil {
		return Signed{}, fmt.Errorf("encoding a %s request: %w", d.kind, err)
	}
	hash, err := hashOf(&it)
	if err != nil {
		return Signed{}, fmt.Errorf("hashing a %s request: %w", d.kind, err)
	}
	if id.sign == nil {
		body := appendText(appendMap(newBody(len(content)), 1), "content")
		return Signed{hash, append(body, content...)}, nil
	}
	sig, err := id.sign(signedBytes(domainRequest, hash))
	if err != nil {
		return Signed{}, fmt.Errorf("signing a %s request: %w", d.kind, err)
	}
	pairs := 3
	if len(id.chain) > 0 {
		pairs++
	}
	body := appendText(appendMap(newBody(len(content)+512), pairs), "content")
	return Signed{hash, id.appendAuth(append(body, content...), sig)}, nil
}

func (d *Draft) content(sender principal.Principal) []byte {
	pairs := 6
	if d.kind == KindReadState {
		pairs = 4
	}
	if d.Nonce != nil {
		pairs++
	}
	if d.SenderInfo != nil {
		pairs++
	}
	dst := appendMap(make([]byte, 0, len(d.message.Arg)+256), pairs)
	dst = appendTextField(dst, "request_type", d.kind.String())
	dst = appendNatField(dst, "ingress_expiry", d.IngressExpiry)
	dst = appendBlobField(dst, "sender", sender.Bytes())
	if d.Nonce != nil {
		dst = appendBlobField(dst, "nonce", d.Nonce)
	}
	if info := d.SenderInfo; info != nil {
		dst = appendMap(appendText(dst, "sender_info"), 3)
		dst = appendBlobField(dst, "info", info.Info)
		dst = appendBlobField(dst, "signer", info.Signer.Bytes())
		dst = appendBlobField(dst, "sig", info.Sig)
	}
	if d.kind == KindReadState {
		return appendPaths(appendText(dst, "paths"), d.paths)
	}
	dst = appendBlobField(dst, "canister_id", d.message.CanisterID.Bytes())
	dst = appendTextField(dst, "method_name", d.message.MethodName)
	return appendBlobField(dst, "arg", d.message.Arg)
}

func appendPaths(dst []byte, paths []Path) []byte {
	dst = appendArray(dst, len(paths))
	for _, path := range paths {
		dst = appendArray(dst, len(path))
		for _, label := range path {
			dst = appendBlob(dst, label)
		}
	}
	return dst
}
