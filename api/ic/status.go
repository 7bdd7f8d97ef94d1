package ic

import (
	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
)

// The health of a replica in the status, in the replica's words.
const (
	healthy  = "healthy"
	starting = "waiting_for_certified_state"
)

// status serves GET /api/v2/status (interface specification, "Request: Status").
func (h *Handler) status(view api.View) []byte {
	status := wire.Status{ImplVersion: h.info.Version, ImplHash: h.info.Hash, Health: starting}
	if view != nil {
		status.Health = healthy
		status.RootKey = view.RootKey()
		status.CertifiedHeight = view.Height()
	}
	return wire.EncodeStatus(status)
}
