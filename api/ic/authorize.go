package ic

import (
	"bytes"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/certify"
)

// authorize proves who sent a request, and that it is of now (interface
// specification, "Authentication").
func (h *Handler) authorize(to *target, request wire.Request, envelope *wire.Envelope) (wire.Claims, error) {
	now := h.backend.Now()
	if err := wire.CheckExpiry(envelope.IngressExpiry, now, envelope.Exempt()); err != nil {
		return wire.Claims{}, err
	}
	return wire.Authenticate(request, now, h.trusted(to.view))
}

// trusted is on whose root keys canister signatures may rest: the network's own,
// and mainnet's, so that who has an identity there has it here.
func (h *Handler) trusted(view api.View) *wire.Trust {
	if trust := h.trust.Load(); trust != nil {
		return trust
	}
	trust, err := wire.NewTrust(view.RootKey(), certify.MainnetRootKey())
	if err != nil {
		panic("ic: bug: the network's root key is none: " + err.Error())
	}
	if !h.trust.CompareAndSwap(nil, trust) {
		return h.trust.Load()
	}
	return trust
}

// attested is what a canister attests of the sender, as the network has it: apart
// from the body, which it may outlive by far.
func attested(info *wire.SenderInfo) *intercanister.SenderInfo {
	if info == nil {
		return nil
	}
	return &intercanister.SenderInfo{Info: bytes.Clone(info.Info), Signer: info.Signer}
}

// checkReceiver asks whether a call or query may be sent to the URL it was sent
// to (interface specification, "Effective canister id"). Which canister a call of
// the management canister is about, its argument tells; the backend looks there.
func (to *target) checkReceiver(m *wire.Message, methods ...string) error {
	if !to.bySubnet {
		if m.CanisterID != principal.Management && m.CanisterID != to.effective {
			return api.WrongEffectiveID.Refuse(m.CanisterID, to.effective)
		}
		return nil
	}
	for _, method := range methods {
		if m.CanisterID == principal.Management && m.MethodName == method {
			return nil
		}
	}
	return api.NotForSubnets.Refuse(m.MethodName, m.CanisterID, methods)
}
