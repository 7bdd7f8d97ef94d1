package ic

import (
	"context"
	"net/http"
	"strings"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/certify"
)

// endpoint is one of the twelve, apart from the id in its URL.
type endpoint struct {
	method string
	// answer gives the body of a 200, or nil for an empty 202. It is nil for the
	// status endpoint, which takes nothing.
	answer func(h *Handler, ctx context.Context, to *target, body []byte) ([]byte, error)
	// layout is where the delegation shows canister ranges, and with it which of
	// the two places a read_state may ask about.
	layout certify.RangesLayout
}

// target is an endpoint with the effective id of a URL, and the state that was
// there when the request came.
type target struct {
	endpoint
	effective principal.Principal
	bySubnet  bool // effective is a subnet's id
	view      api.View
	subnet    principal.Principal // that hosts effective
}

// find is the endpoint with a URL's path. The error is a refusal.
func find(path string) (target, error) {
	rest, ok := strings.CutPrefix(path, "/api/")
	version, rest, more := strings.Cut(rest, "/")
	if !ok || !more {
		return target{}, api.UnknownPath.Refuse(path)
	}
	if version == "v2" && rest == "status" {
		return target{endpoint: endpoint{method: http.MethodGet}}, nil
	}
	kind, rest, _ := strings.Cut(rest, "/")
	id, name, _ := strings.Cut(rest, "/")
	var to target
	switch kind {
	case "canister":
		to.endpoint, ok = byCanister(version, name)
	case "subnet":
		to.bySubnet = true
		to.endpoint, ok = bySubnet(version, name)
	default:
		ok = false
	}
	if !ok {
		return target{}, api.UnknownPath.Refuse(path)
	}
	var err error
	if to.effective, err = principal.Parse(id); err != nil {
		return target{}, api.BadID.Refuse(kind, id, err)
	}
	return to, nil
}

// byCanister is the endpoints under /api/{version}/canister/{effective canister id}.
func byCanister(version, name string) (endpoint, bool) {
	switch version + " " + name {
	case "v2 call":
		return endpoint{http.MethodPost, (*Handler).callAsync, certify.FlatRanges}, true
	case "v3 call":
		return endpoint{http.MethodPost, (*Handler).callSync, certify.FlatRanges}, true
	case "v4 call":
		return endpoint{http.MethodPost, (*Handler).callSync, certify.ShardedRanges}, true
	case "v2 query":
		return endpoint{http.MethodPost, (*Handler).query, certify.FlatRanges}, true
	case "v3 query":
		return endpoint{http.MethodPost, (*Handler).query, certify.ShardedRanges}, true
	case "v2 read_state":
		return endpoint{http.MethodPost, (*Handler).readCanisterState, certify.FlatRanges}, true
	case "v3 read_state":
		return endpoint{http.MethodPost, (*Handler).readCanisterState, certify.ShardedRanges}, true
	}
	return endpoint{}, false
}

// bySubnet is the endpoints under /api/{version}/subnet/{effective subnet id}.
func bySubnet(version, name string) (endpoint, bool) {
	switch version + " " + name {
	case "v4 call":
		return endpoint{http.MethodPost, (*Handler).callSync, certify.ShardedRanges}, true
	case "v3 query":
		return endpoint{http.MethodPost, (*Handler).query, certify.ShardedRanges}, true
	case "v2 read_state":
		return endpoint{http.MethodPost, (*Handler).readSubnetState, certify.FlatRanges}, true
	case "v3 read_state":
		return endpoint{http.MethodPost, (*Handler).readSubnetState, certify.ShardedRanges}, true
	}
	return endpoint{}, false
}

// locate finds the subnet that answers for the effective id.
func (to *target) locate(view api.View) error {
	if view == nil {
		return api.NoCertifiedState.Refuse()
	}
	to.view = view
	if to.bySubnet {
		if view.Certified(to.effective) == nil {
			return api.NoSubnet.Refuse(to.effective)
		}
		to.subnet = to.effective
		return nil
	}
	subnet, ok := view.Host(to.effective)
	if !ok {
		return api.NoHost.Refuse(to.effective)
	}
	to.subnet = subnet
	return nil
}

// certificate is a certificate of the subnet as of a view, with the delegation
// the endpoint has.
func (to *target) certificate(view api.View, paths ...certify.Path) []byte {
	return view.Certified(to.subnet).Certificate(view.Delegation(to.subnet, to.layout), paths...)
}
