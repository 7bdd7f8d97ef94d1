package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/api/internal/origin"
)

// inspects reports whether the inspector is at a host. A page of a canister must not have its origin then: it would be as
// powerful as the inspector.
func (g *Gateway) inspects(host string) bool {
	return g.config.Inspector != nil && g.config.Inspector(host)
}

// serveStart answers a browser at the top of a host without a canister.
func (g *Gateway) serveStart(w http.ResponseWriter, r *http.Request, to *target) {
	if !g.inspects(r.Host) {
		g.serveDashboard(w, r, to)
		return
	}
	at := origin.InspectorPath
	if name := g.otherInstance(to); name != "" {
		at += "?i=" + url.QueryEscape(name)
	}
	http.Redirect(w, r, at, http.StatusSeeOther)
}

// otherInstance returns the name of the instance of a request; "" for the default one.
func (g *Gateway) otherInstance(to *target) string {
	if first := g.networks.Network(""); first != nil && first.Name() == to.network.Name() {
		return ""
	}
	return to.network.Name()
}

// opensPage reports whether a browser loads a page, in a window or in a frame.
func opensPage(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return readOnly(r) && wants(r) == formHTML
}

// serveBesideInspector answers a request for a canister at the host of the inspector.
func (g *Gateway) serveBesideInspector(w http.ResponseWriter, r *http.Request, to *target) {
	if at := g.ownHost(r, to); at != "" && opensPage(r) {
		http.Redirect(w, r, at, http.StatusTemporaryRedirect)
		return
	}
	w.Header().Set("Content-Security-Policy", "sandbox")
	g.serveCanister(w, r, to)
}

// ownHost returns the URL of a request at the host of its canister, below the domain that the request came in by. It has
// no scheme: a proxy may add TLS. It is "" if that host has no names below it that lead here, as the address of another
// machine.
func (g *Gateway) ownHost(r *http.Request, to *target) string {
	domain, port, found := strings.Cut(to.domain, ":")
	if asked := strings.ToLower(strings.TrimSuffix(origin.Hostname(r.Host), ".")); asked != domain && !origin.LocalName(asked) {
		return ""
	}
	query := r.URL.Query()
	query.Del("canisterId")
	labels := []string{to.canister.String()}
	if name := g.otherInstance(to); name != "" {
		labels = append(labels, name)
		if name == rawLabel { // which would be read as that of an unverified host of the default instance
			labels = append(labels, rawLabel)
		}
	}
	at := url.URL{Host: strings.Join(append(labels, domain), "."), Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query.Encode()}
	if found {
		at.Host += ":" + port
	}
	return at.String()
}

// withoutCookies removes what would set cookies at a host of the inspector from the headers of a canister's answer to a
// request at a host.
func (g *Gateway) withoutCookies(host string, shared bool, headers []verify.Header) []verify.Header {
	if g.config.Inspector == nil {
		return headers
	}
	return slices.DeleteFunc(slices.Clone(headers), func(h verify.Header) bool {
		return strings.EqualFold(h.Name, "Set-Cookie") && (shared && g.inspects(host) || slices.ContainsFunc(cookieDomains(h.Value), g.inspects))
	})
}

// cookieDomains returns the domains of a Set-Cookie header as browsers read it (RFC 6265, section 5.2).
func cookieDomains(cookie string) []string {
	var domains []string
	for attribute := range strings.SplitSeq(cookie, ";") {
		name, value, _ := strings.Cut(attribute, "=")
		if strings.EqualFold(strings.TrimSpace(name), "domain") {
			domains = append(domains, strings.TrimPrefix(strings.TrimSpace(value), "."))
		}
	}
	return domains
}
