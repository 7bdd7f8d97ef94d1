package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/canisterd/canisterd/api/internal/origin"
)

// inspects reports whether the inspector is at the address of the gateway. A page of a canister must not have its
// origin then: it would be as powerful as the inspector.
func (g *Gateway) inspects() bool { return g.config.Inspector != nil && g.config.Inspector() }

// serveStart answers a browser at the top of a host without a canister.
func (g *Gateway) serveStart(w http.ResponseWriter, r *http.Request, to *target) {
	if !g.inspects() {
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

// ownHost returns the URL of a request at the host of its canister, CANISTER.localhost.
func (g *Gateway) ownHost(r *http.Request, to *target) string {
	query := r.URL.Query()
	query.Del("canisterId")
	host := to.canister.String()
	if name := g.otherInstance(to); name != "" {
		host += "." + name
	}
	_, port, found := strings.Cut(to.domain, ":")
	at := url.URL{Scheme: "http", Host: host + "." + localDomain, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query.Encode()}
	if found {
		at.Host += ":" + port
	}
	return at.String()
}
