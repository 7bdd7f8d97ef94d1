package ic

import (
	"slices"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// reader is a client that reads parts of the state, and what its request has named so far (interface specification,
// "Request: Read state": permissions by path).
type reader struct {
	*target
	claims  *wire.Claims
	request *wire.RequestID      // that /request_status paths name
	ranges  *principal.Principal // subnet that /canister_ranges paths name
}

// commonPath refuses paths that cannot be read by canister or subnet id. Every path it allows has 1 to 5 labels.
func (r *reader) commonPath(path certify.Path) error {
	if len(path) == 0 {
		return api.UnknownStatePath.Refuse()
	}
	known := false
	switch path[0] {
	case "time":
		known = len(path) == 1
	case "api_boundary_nodes":
		known = len(path) <= 2 || len(path) == 3 && (path[2] == "domain" || path[2] == "ipv4_address" || path[2] == "ipv6_address")
	case "subnet":
		known = len(path) <= 2 || r.subnetField(path)
	case "request_status":
		if len(path) == 2 || len(path) == 3 && requestField(path[2]) {
			return r.requestStatus(path[1])
		}
	}
	if !known {
		return api.UnknownStatePath.Refuse()
	}
	return nil
}

// subnetField allows the paths /subnet/{sid}/… that everybody may read.
func (r *reader) subnetField(path certify.Path) bool {
	switch path[2] {
	case "public_key", "type":
		return len(path) == 3
	case "canister_ranges":
		return len(path) == 3 && r.sees(path)
	case "node":
		return len(path) <= 4 || len(path) == 5 && path[4] == "public_key"
	}
	return false
}

func requestField(label certify.Label) bool {
	switch label {
	case "status", "reply", "reject_code", "reject_message", "error_code":
		return true
	}
	return false
}

// sees reports whether the reader may see a value under /subnet: canister ranges in the old place only at the old
// endpoints (or of the root subnet), nodes only of the subnet that answers, metrics only by the subnet's id.
func (r *reader) sees(path certify.Path) bool {
	if len(path) < 3 {
		return true
	}
	switch path[2] {
	case "canister_ranges":
		return r.layout == certify.FlatRanges || path[1] == certify.LabelOf(r.view.Root())
	case "node":
		return path[1] == certify.LabelOf(r.subnet)
	case "metrics":
		return r.bySubnet && path[1] == certify.LabelOf(r.effective)
	}
	return true
}

// requestStatus lets a reader read one request, its own, with the id it was made with. The answer for an unknown
// request proves its absence.
func (r *reader) requestStatus(label certify.Label) error {
	if len(label) != len(wire.RequestID{}) {
		return api.BadRequestID.Refuse(len(wire.RequestID{}))
	}
	id := wire.RequestID([]byte(label))
	if r.request != nil {
		if *r.request != id {
			return api.TwoRequestIDs.Refuse(*r.request, id)
		}
		return nil
	}
	r.request = &id
	sender, receiver, effective, ok := r.view.Request(r.subnet, api.RequestID(id))
	if !ok {
		return r.unknownRequest(id)
	}
	switch {
	case sender != r.claims.Sender:
		return api.ForeignRequest.Refuse()
	case effective != r.effective:
		return api.OtherEffectiveID.Refuse(id, r.effective)
	case r.claims.CheckTarget(receiver) != nil:
		return api.RequestNotOfTargets.Refuse()
	}
	return nil
}

// unknownRequest lets every reader see that the request does not exist. A request that was forgotten after the view was
// made may still be in it, and its sender is unknown.
func (r *reader) unknownRequest(id wire.RequestID) error {
	if _, shown := r.view.Certified(r.subnet).Tree().Get(certify.RequestStatusPath(id)...); shown {
		return api.ForeignRequest.Refuse()
	}
	return nil
}

// effectiveOnly refuses paths about a principal other than the one in the URL.
func (r *reader) effectiveOnly(label certify.Label) error {
	id, err := principal.FromBytes([]byte(label))
	if err != nil {
		return api.BadStatePrincipal.Refuse(err)
	}
	if id != r.effective {
		return api.OtherStatePrincipal.Refuse(r.effective, id)
	}
	return nil
}

// controls reports whether the reader controls the canister of the URL, by the certified state.
func (r *reader) controls() bool {
	node, ok := r.view.Certified(r.subnet).Tree().Get(certify.CanisterPath(r.effective, "controllers")...)
	if !ok {
		return false
	}
	controllers, err := certify.DecodeControllers(node.Value())
	return err == nil && slices.Contains(controllers, r.claims.Sender)
}
