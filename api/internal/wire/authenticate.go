package wire

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
)

// Claims is the verified content of an authenticated request.
type Claims struct {
	// ID is the request id.
	ID RequestID
	// Sender has signed the request, directly or through delegations, or is anonymous.
	Sender principal.Principal
	// Targets are the canisters the request may concern, sorted; nil means all.
	Targets []principal.Principal
	// QueriesOnly is true if a delegation permits no calls.
	QueriesOnly bool
	// Info is the attestation of the sender by the canister that signs for it; nil if there is none. It is authentic.
	Info *SenderInfo
}

// CheckTarget refuses a canister that the delegations do not name. The management canister is allowed only if it is
// named. Authenticate has checked calls and queries; for a read_state that reads the status of a request, check that
// request's canister.
func (c *Claims) CheckTarget(canister principal.Principal) error {
	if c.Targets == nil {
		return nil
	}
	if _, ok := slices.BinarySearchFunc(c.Targets, canister, principal.Principal.Compare); ok {
		return nil
	}
	return refuse("Canister '%s' is not one of the delegation targets.", canister)
}

// Request is a *Call, a *Query or a *ReadState.
type Request interface {
	envelope() *Envelope
	// canister returns the receiver of the request; a read_state has none.
	canister() (principal.Principal, bool)
}

func (c *Call) envelope() *Envelope      { return &c.Envelope }
func (q *Query) envelope() *Envelope     { return &q.Envelope }
func (r *ReadState) envelope() *Envelope { return &r.Envelope }

func (c *Call) canister() (principal.Principal, bool)      { return c.CanisterID, true }
func (q *Query) canister() (principal.Principal, bool)     { return q.CanisterID, true }
func (r *ReadState) canister() (principal.Principal, bool) { return principal.Principal{}, false }

// Authenticate proves who sent the request: its signature, the chain of delegations at the time now (nanoseconds since
// 1970), the attested information about the sender, and that the delegations allow such a request to that canister
// (interface specification, "Authentication"). Signatures by canisters rest on the root keys of trust. It ignores
// ingress_expiry: call CheckExpiry before. Every error is a *refusal.Refusal.
func Authenticate(req Request, now uint64, trust *Trust) (Claims, error) {
	env := req.envelope()
	claims := Claims{ID: env.ID, Sender: env.Sender, Info: env.SenderInfo}
	switch {
	case env.Auth == nil && !env.Sender.IsAnonymous():
		return Claims{}, refuse("Missing signature from user: %s", env.Sender)
	case env.Auth == nil && env.SenderInfo != nil:
		return Claims{}, refuse("Invalid sender info: sender_info requires an authenticated request with sender_pubkey")
	case env.Auth == nil:
		return claims, nil
	case env.Sender.IsAnonymous():
		return Claims{}, refuse("Signature is not allowed for the anonymous user.")
	case env.Sender != principal.SelfAuthenticating(env.Auth.PublicKey):
		return Claims{}, refuse("The user id '%s' does not match the public key '%s'", env.Sender, hexText(env.Auth.PublicKey))
	}
	terms, err := trust.checkChain(env.Auth, now)
	if err != nil {
		return Claims{}, err
	}
	if err := trust.verify(terms.key, signedBytes(domainRequest, env.ID), env.Auth.Signature); err != nil {
		return Claims{}, refuse("Invalid signature: %v", err)
	}
	if err := trust.checkSenderInfo(env); err != nil {
		return Claims{}, err
	}
	claims.Targets, claims.QueriesOnly = terms.targets, terms.queriesOnly
	return claims, checkTerms(&claims, req)
}

// checkTerms refuses a request that the delegations do not allow.
func checkTerms(claims *Claims, req Request) error {
	if claims.QueriesOnly && req.envelope().Kind == KindCall {
		return invalidDelegation("Delegation permissions error: a delegation permits only %q, but this is a call", PermitQueries)
	}
	if canister, ok := req.canister(); ok {
		return claims.CheckTarget(canister)
	}
	return nil
}
