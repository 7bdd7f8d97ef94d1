package ic

import (
	"bytes"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// authorize proves who sent a request, and that it is current (interface specification, "Authentication"). The sender
// may use the wall clock's time or the network's; a delegation is valid if it is by one of the two.
func (h *Handler) authorize(to *target, request wire.Request, envelope *wire.Envelope) (wire.Claims, error) {
	clock := h.backend.Clock()
	if err := to.date(envelope, clock); err != nil {
		return wire.Claims{}, err
	}
	return wire.Authenticate(request, min(clock.Now, clock.Wall), h.trusted(to.view))
}

// date determines by which clock a request is current, the wall clock before the network's, and when it expires by the
// network's.
func (to *target) date(envelope *wire.Envelope, clock api.Clock) error {
	to.deadline = envelope.IngressExpiry
	if clock.Now == clock.Wall || wire.CheckExpiry(to.deadline, clock.Wall, false) != nil {
		return wire.CheckExpiry(to.deadline, clock.Now, envelope.Exempt())
	}
	to.byWall = true
	to.deadline += uint64(clock.Ahead())
	return nil
}

// dating returns the offset at which the state is dated for a client: zero, or the offset to the wall clock.
func (h *Handler) dating(to *target) int64 {
	if !to.byWall {
		return 0
	}
	return -h.backend.Clock().Ahead()
}

// trusted returns the root keys on which canister signatures may rest: the network's own, and mainnet's, so that an
// identity on mainnet is valid here.
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

// attested returns a canister's attestation of the sender for the network. It is a copy, because it may outlive the
// body by far.
func attested(info *wire.SenderInfo) *intercanister.SenderInfo {
	if info == nil {
		return nil
	}
	return &intercanister.SenderInfo{Info: bytes.Clone(info.Info), Signer: info.Signer}
}

// checkReceiver refuses a call or query that must not be sent to this URL (interface specification, "Effective canister
// id"). The argument of a call of the management canister says which canister it is about; the backend checks that.
func (to *target) checkReceiver(m *wire.Message, methods []string) error {
	if !to.bySubnet {
		if m.CanisterID != principal.Management && m.CanisterID != to.effective {
			return api.WrongEffectiveID.Refuse(m.CanisterID, to.effective)
		}
		return nil
	}
	if m.CanisterID == principal.Management && slices.Contains(methods, m.MethodName) {
		return nil
	}
	return api.NotForSubnets.Refuse(m.MethodName, m.CanisterID, methods)
}

// calledBySubnet and queriedBySubnet are the methods of the management canister that users may send to the id of a
// subnet.
var (
	calledBySubnet  = sync.OnceValue(func() []string { return bySubnet(func(m *replica.ManagementMethod) bool { return m.Canisters }) })
	queriedBySubnet = sync.OnceValue(func() []string { return bySubnet(func(m *replica.ManagementMethod) bool { return m.ByQuery }) })
)

func bySubnet(offered func(*replica.ManagementMethod) bool) (names []string) {
	for _, m := range replica.ManagementMethods() {
		if m.BySubnet && offered(&m) {
			names = append(names, m.Name)
		}
	}
	return names
}
