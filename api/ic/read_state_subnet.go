package ic

import (
	"context"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// readSubnetState serves POST /api/v2/subnet/{esid}/read_state and /api/v3/subnet/{esid}/read_state (interface
// specification, "Request: Read state").
func (h *Handler) readSubnetState(ctx context.Context, to *target, body []byte) ([]byte, error) {
	return h.readState(ctx, to, body, (*reader).subnetPath)
}

// subnetPath refuses paths that cannot be read by subnet id.
func (r *reader) subnetPath(path certify.Path) error {
	switch {
	case len(path) == 3 && path[0] == "subnet" && path[2] == "metrics":
		return r.effectiveOnly(path[1])
	case (len(path) == 2 || len(path) == 3) && path[0] == "canister_ranges":
		return r.rangesOf(path[1])
	}
	return r.commonPath(path)
}

// rangesOf limits a request to the ranges of one subnet: they may be long.
func (r *reader) rangesOf(label certify.Label) error {
	id, err := principal.FromBytes([]byte(label))
	if err != nil {
		return api.BadStatePrincipal.Refuse(err)
	}
	if r.ranges != nil && *r.ranges != id {
		return api.TwoRangesSubnets.Refuse(*r.ranges, id)
	}
	r.ranges = &id
	return nil
}
