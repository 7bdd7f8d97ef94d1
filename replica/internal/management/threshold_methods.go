package management

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// thresholdMethods returns the methods with threshold keys. A call of one goes to a subnet that holds its key (Route).
func thresholdMethods() []method {
	return []method{
		keyAbout(method{name: "ecdsa_public_key", result: of[publicKeyResult](), users: notByIngress}, ecdsaPublicKey, nil),
		keyAbout(method{name: "sign_with_ecdsa", result: of[signatureResult](), users: notByIngress}, signWithECDSA, ecdsaSignature),
		keyAbout(method{name: "schnorr_public_key", result: of[publicKeyResult](), users: notByIngress}, schnorrPublicKey, nil),
		keyAbout(method{name: "sign_with_schnorr", result: of[signatureResult](), users: notByIngress}, signWithSchnorr, schnorrSignature),
		keyAbout(method{name: "vetkd_public_key", result: of[vetKDPublicKeyResult](), users: notByIngress}, vetKDPublicKey, nil),
		keyAbout(method{name: "vetkd_derive_key", result: of[vetKDDeriveKeyResult](), users: notByIngress}, vetKDDeriveKey, vetKDDerivedKey),
	}
}

// keyAbout gives a method a handler for its decoded argument, which runs after the check that the subnet holds the key,
// and its answer in the next round if it signs.
func keyAbout[A any, P interface {
	*A
	keyed
}](m method, run func(*state.ManagementCall, *A) state.Answer, sign func(*state.State, *state.PendingSignature, *A) state.Answer) method {
	m = withHandler(m, read[A], func(c *state.ManagementCall, a *A) state.Answer {
		if id := P(a).key(); !c.State.Signing.Holds(id) {
			return state.Fail(rejectNotHeld(c.State.ID, id))
		}
		answer := run(c, a)
		if sign == nil {
			answer.Instructions = P(a).instructions()
		}
		return answer
	})
	m.key = func(arg []byte) (state.KeyID, error) {
		a, err := read[A](arg)
		if err != nil {
			return state.KeyID{}, err
		}
		return P(a).key(), nil
	}
	if _, ok := any(new(A)).(acceptable); ok {
		m.accepts = func(arg []byte) bool {
			a, err := read[A](arg)
			return err == nil && any(a).(acceptable).acceptable()
		}
	}
	if sign != nil {
		m.sign = func(s *state.State, p *state.PendingSignature) state.Answer {
			a, err := read[A](p.Arg)
			if err != nil {
				panic("management: a request that was accepted cannot be read: " + err.Error())
			}
			answer := sign(s, p, a)
			answer.Instructions = P(a).instructions()
			return answer
		}
	}
	return m
}

// Route returns the key that a call is about (state.Signer).
func (f *facade) Route(name string, arg []byte, known []state.KeyID) (id state.KeyID, keyed bool, reject *intercanister.Reject) {
	m := f.methods[name]
	if m == nil || m.key == nil {
		return id, false, nil
	}
	id, err := m.key(arg)
	switch {
	case err != nil:
		reject = cut(rejectUnroutedPayload(name, err))
	case !slices.Contains(known, id):
		reject = cut(rejectUnknownKey(name, id, known, m.sign != nil))
	}
	return id, true, reject
}

// Signs reports whether a request is acceptable (state.Signer).
func (f *facade) Signs(p *state.PendingSignature) bool {
	m := f.methods[p.Method]
	if m == nil || m.sign == nil {
		return false
	}
	id, err := m.key(p.Arg)
	return err == nil && id == p.Key && (m.accepts == nil || m.accepts(p.Arg))
}

// Sign answers an accepted request (state.Signer).
func (f *facade) Sign(s *state.State, p *state.PendingSignature) state.Answer {
	return f.methods[p.Method].sign(s, p)
}

// askToSign takes the fee for a signature, at the price of the signing subnet, and leaves the request for the next
// round.
func askToSign(c *state.ManagementCall, id state.KeyID) state.Answer {
	signing := &c.State.Signing
	var fee cycles.Amount
	if from, ok := c.Host.SubnetOf(c.Caller); !ok || signing.Exempt.Len() == 0 || from != signing.Exempt {
		fee = c.State.Fees.Scale(cycles.Of(c.State.Fees.Signature))
	}
	if c.Attached.Less(fee) {
		return state.Fail(rejectFee(c.Method, c.Attached, fee))
	}
	if signing.Waiting(id) >= MaxPendingSignatures {
		return state.Fail(rejectSignatureQueue(c.Method, id))
	}
	c.State.Totals.Pay(c.Accept(fee))
	signing.Pending = append(signing.Pending, state.PendingSignature{
		Ticket: c.Ticket(), Key: id, Caller: c.Caller, Method: c.Method, Arg: c.Arg,
	})
	return state.Later()
}

// keyOwner returns the canister whose key is requested.
func keyOwner(c *state.ManagementCall, named *principal.Principal) []byte {
	if named != nil {
		return named.Bytes()
	}
	return c.Caller.Bytes()
}

// keyPath returns the path of a canister's key from the master key.
func keyPath(canister []byte, path [][]byte) [][]byte {
	return slices.Concat([][]byte{canister}, path)
}
