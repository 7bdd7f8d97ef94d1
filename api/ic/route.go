package ic

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// endpoint is one of the twelve, without the id in its URL.
type endpoint struct {
	method string
	// answer returns the body of a 200, or nil for an empty 202. It is nil for the status endpoint, which takes no
	// body.
	answer func(h *Handler, ctx context.Context, to *target, body []byte) ([]byte, error)
	// layout is where the delegation shows canister ranges. A read_state may read only this one of the two places.
	layout certify.RangesLayout
	// unhosted is what the endpoint answers if its URL has the management canister's own id.
	unhosted unhosted
}

// unhosted is the use of the management canister's own id, which no subnet hosts, as an effective id: older agents send
// it with provisional_create_canister_with_cycles, and read the answer there.
type unhosted uint8

const (
	nothing  unhosted = iota
	creation          // calls of methods that run on any subnet (ManagementMethod.AnyHost)
	answers           // paths /request_status/…
)

// target is an endpoint with the effective id of a URL, the state when the request arrived, and the request's clock.
type target struct {
	endpoint
	effective principal.Principal
	bySubnet  bool // effective is a subnet's id
	anywhere  bool // the URL has the management canister's id; effective is the default canister's
	view      api.View
	subnet    principal.Principal // that hosts effective
	byWall    bool                // the request is of the wall clock's time, and the network's is another
	deadline  uint64              // ns: its ingress_expiry, by the network's time
	foreign   string              // the header that shows a foreign page; "" for other requests
}

// routes returns the twelve endpoints by the path of their URL (interface specification, "HTTPS Interface"): * is an
// effective id, of a canister or a subnet.
func routes() map[string]endpoint {
	const get, post = http.MethodGet, http.MethodPost
	const flat, sharded = certify.FlatRanges, certify.ShardedRanges
	return map[string]endpoint{
		"/api/v2/status":                {get, nil, flat, nothing},
		"/api/v2/canister/*/call":       {post, (*Handler).callAsync, flat, creation},
		"/api/v3/canister/*/call":       {post, (*Handler).callSync, flat, creation},
		"/api/v4/canister/*/call":       {post, (*Handler).callSync, sharded, creation},
		"/api/v4/subnet/*/call":         {post, (*Handler).callSync, sharded, nothing},
		"/api/v2/canister/*/query":      {post, (*Handler).query, flat, nothing},
		"/api/v3/canister/*/query":      {post, (*Handler).query, sharded, nothing},
		"/api/v3/subnet/*/query":        {post, (*Handler).query, sharded, nothing},
		"/api/v2/canister/*/read_state": {post, (*Handler).readCanisterState, flat, answers},
		"/api/v3/canister/*/read_state": {post, (*Handler).readCanisterState, sharded, answers},
		"/api/v2/subnet/*/read_state":   {post, (*Handler).readSubnetState, flat, nothing},
		"/api/v3/subnet/*/read_state":   {post, (*Handler).readSubnetState, sharded, nothing},
	}
}

var table = routes()

// Endpoints returns all endpoints, sorted, as a method and the path of a URL with * for the effective id.
func Endpoints() []string {
	var all []string
	for path, e := range table {
		all = append(all, e.method+" "+path)
	}
	slices.Sort(all)
	return all
}

// find returns the endpoint for a URL's path. The error is a refusal.
func find(path string) (target, error) {
	if e, ok := table[path]; ok && !strings.Contains(path, "*") {
		return target{endpoint: e}, nil
	}
	parts := strings.Split(path, "/") // "", api, version, kind, id, name
	if len(parts) != 6 {
		return target{}, api.UnknownPath.Refuse(path)
	}
	kind, id := parts[3], parts[4]
	parts[4] = "*"
	e, ok := table[strings.Join(parts, "/")]
	if !ok {
		return target{}, api.UnknownPath.Refuse(path)
	}
	to := target{endpoint: e, bySubnet: kind == "subnet"}
	var err error
	if to.effective, err = principal.Parse(id); err != nil {
		return target{}, api.BadID.Refuse(kind, id, err)
	}
	return to, nil
}

// locate finds the subnet of the effective id. The management canister's own id leads to the default canister's subnet,
// where the endpoint has a use for it.
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
	if to.anywhere = to.unhosted != nothing && to.effective == principal.Management; to.anywhere {
		to.effective = view.DefaultCanister()
	}
	subnet, ok := view.Host(to.effective)
	if !ok {
		return api.NoHost.Refuse(to.effective)
	}
	to.subnet = subnet
	return nil
}

// certificate returns a certificate of the subnet at the height of a view, with the endpoint's delegation, dated for
// the client.
func (h *Handler) certificate(to *target, view api.View, paths ...certify.Path) []byte {
	return to.certificate(view.Dated(h.dating(to)), paths...)
}

// certificate returns a certificate of the subnet at the height of a view, dated as the view is.
func (to *target) certificate(view api.View, paths ...certify.Path) []byte {
	return view.Certified(to.subnet).Certificate(view.Delegation(to.subnet, to.layout), paths...)
}
