package ic

import (
	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
)

// authorize proves who sent a request, and that it is of now (interface
// specification, "Authentication").
func (h *Handler) authorize(request wire.Request, envelope *wire.Envelope) (wire.Claims, error) {
	now := h.backend.Now()
	if err := wire.CheckExpiry(envelope.IngressExpiry, now, envelope.Exempt()); err != nil {
		return wire.Claims{}, err
	}
	return wire.Authenticate(request, now)
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
