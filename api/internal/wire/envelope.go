package wire

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// Kind is the kind of a request, by the endpoint it was sent to.
type Kind uint8

const (
	KindCall Kind = iota
	KindQuery
	KindReadState
)

// String returns the request_type of the specification.
func (k Kind) String() string { return [...]string{"call", "query", "read_state"}[k] }

// Envelope is the common part of every request (interface specification, "Authentication"). Its byte slices alias the
// body.
type Envelope struct {
	Kind Kind
	// ID is the hash of the content as it was sent.
	ID RequestID
	// Sender is the claimed sender in the content; Authenticate proves it.
	Sender principal.Principal
	// IngressExpiry is in nanoseconds since 1970.
	IngressExpiry uint64
	// Nonce is nil where absent, at most MaxNonceBytes.
	Nonce []byte
	// SenderInfo is nil where absent, and always for read_state.
	SenderInfo *SenderInfo
	// Auth is nil if the request has no signature.
	Auth *Auth
}

// Auth is the signature of a request. PublicKey is in DER form; the signature is by the last delegation's key, or by
// PublicKey without delegations.
type Auth struct {
	PublicKey   []byte
	Signature   []byte
	Delegations []SignedDelegation
}

// open reads a body up to the fields of its content. Every error is a *refusal.Refusal.
func (e *Envelope) open(body []byte, want Kind) (fields, error) {
	if len(body) > MaxBodyBytes {
		return nil, refusal.New(refusal.TooLarge, "The request body has %d bytes, but at most %d are allowed.", len(body), MaxBodyBytes)
	}
	outer, content, err := requestFields(body)
	if err != nil {
		return nil, malformed(want, err)
	}
	if _, err := outer.required("content", kindMap); err != nil {
		return nil, malformed(want, err)
	}
	if err := e.readContent(content, want); err != nil {
		return nil, malformed(want, err)
	}
	if e.Auth, err = readAuth(outer); err != nil {
		return nil, malformed(want, err)
	}
	return content, nil
}

// malformed turns an error into a refusal, unless it is one already.
func malformed(want Kind, err error) error {
	if r, ok := err.(*refusal.Refusal); ok {
		return r
	}
	return refuse("Could not parse body as %s message: %v", want, err)
}

func (e *Envelope) readContent(content fields, want Kind) error {
	e.Kind = want
	got, err := content.text("request_type")
	if err != nil {
		return err
	}
	if string(got) != want.String() {
		return fmt.Errorf("field `request_type` is %q, but this endpoint takes %q", got, want)
	}
	if e.ID, err = hashOfMap(content); err != nil {
		return err
	}
	if e.IngressExpiry, err = content.nat("ingress_expiry"); err != nil {
		return err
	}
	if e.Sender, err = content.principal("sender"); err != nil {
		return err
	}
	e.Nonce, err = readNonce(content)
	return err
}

func readNonce(content fields) ([]byte, error) {
	it, err := content.optional("nonce", kindBlob)
	if err != nil || it == nil {
		return nil, err
	}
	if len(it.body) > MaxNonceBytes {
		return nil, refuse("Nonce in request is too big: got %d bytes, but at most %d are allowed.", len(it.body), MaxNonceBytes)
	}
	return it.body, nil
}

// readAuth returns nil for an envelope without key, signature and delegations. An empty list of delegations is still a
// list, as for the replica.
func readAuth(outer fields) (*Auth, error) {
	key, err := outer.optional("sender_pubkey", kindBlob)
	if err != nil {
		return nil, err
	}
	sig, err := outer.optional("sender_sig", kindBlob)
	if err != nil {
		return nil, err
	}
	chain, err := outer.optional("sender_delegation", kindArray)
	if err != nil {
		return nil, err
	}
	switch {
	case key != nil && sig != nil:
		auth := &Auth{PublicKey: key.body, Signature: sig.body}
		auth.Delegations, err = readDelegations(chain)
		return auth, err
	case key == nil && sig == nil && chain == nil:
		return nil, nil
	}
	return nil, fmt.Errorf("missing pubkey or signature: sender_pubkey is %s, sender_sig is %s, sender_delegation is %s; "+
		"send the first two, or none of the three for an anonymous request", presence(key), presence(sig), presence(chain))
}

func presence(it *item) string {
	if it != nil {
		return "present"
	}
	return "absent"
}
