package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/candid/principal"
)

// target is the destination of a request.
type target struct {
	network  Network // nil if there is no such instance
	canister principal.Principal
	found    bool   // canister is known
	raw      bool   // answers are not verified
	domain   string // for links to canisters, with the request's port
	label    string // the part of the host that should name a canister but does not
	foreign  bool   // the host may be the name of a page on the Internet
	shared   bool   // the host is not the canister's: its query or its referrer names the canister
}

// rawLabel is the label of hosts whose answers are not verified: <canister>.raw.localhost.
const rawLabel = "raw"

// localDomain is the domain that always names this machine.
const localDomain = "localhost"

// resolve finds the destination of a request, by its host or, on a host without a canister, by its query or its
// referrer.
func (g *Gateway) resolve(r *http.Request) target {
	host := strings.ToLower(strings.TrimSuffix(origin.Hostname(r.Host), "."))
	port := ""
	if _, number, err := net.SplitHostPort(r.Host); err == nil {
		port = ":" + number
	}
	if canister, ok := g.domains.find(host); ok {
		return target{network: g.networks.Network(""), canister: canister, found: true, domain: localDomain + port}
	}
	to := g.resolveHost(host)
	to.domain += port
	if to.found || to.label != "" || to.foreign {
		return to
	}
	to.canister, to.found = canisterOf(r.URL)
	if !to.found {
		if from, err := url.Parse(r.Referer()); err == nil && strings.EqualFold(from.Host, r.Host) {
			to.canister, to.found = canisterOf(from)
		}
	}
	to.shared = to.found
	return to
}

// canisterOf returns the canister in the query of a URL.
func canisterOf(at *url.URL) (principal.Principal, bool) {
	id, err := principal.Parse(at.Query().Get("canisterId"))
	return id, err == nil && id.Len() > 0
}

// resolveHost parses a host in lower case: CANISTER.DOMAIN, CANISTER.raw.DOMAIN, and either with the name of an
// instance before DOMAIN.
func (g *Gateway) resolveHost(host string) target {
	to := target{domain: localDomain}
	inside := ""
	for _, domain := range g.bases {
		if host == domain {
			to.domain = domain
			to.network = g.networks.Network("")
			return to
		}
		if rest, ok := strings.CutSuffix(host, "."+domain); ok {
			to.domain, inside = domain, rest
			break
		}
	}
	if inside == "" {
		to.foreign = !origin.PrivateName(host)
		to.network = g.networks.Network("")
		return to
	}
	labels := strings.Split(inside, ".")
	first, rest := labels[0], labels[1:]
	if at := slices.Index(rest, rawLabel); at >= 0 {
		to.raw = true
		rest = slices.Delete(rest, at, at+1)
	}
	instance := strings.Join(rest, ".")
	to.network = g.networks.Network(instance) // names of instances have no dots
	if to.canister, to.found = g.named(instance, first); !to.found {
		to.label = first
	}
	return to
}

// named returns the canister of an instance for a label: its id, an id after a text and two hyphens, or its name in the
// project.
func (g *Gateway) named(instance, label string) (principal.Principal, bool) {
	text := label
	if at := strings.LastIndex(label, "--"); at >= 0 {
		text = label[at+2:]
	}
	if id, err := principal.Parse(text); err == nil {
		return id, true
	}
	if g.config.Names == nil {
		return principal.Principal{}, false
	}
	return g.config.Names(instance, label)
}
