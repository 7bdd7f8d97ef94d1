package inspect

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/internal/origin"
)

// At reports whether the inspector is at a host, which may have a port.
func (h *Handler) At(host string) bool { return h.hosts[strings.ToLower(origin.Hostname(host))] }

// refusal returns why a request is refused, whatever it asks for; "" if it is not.
func (h *Handler) refusal(r *http.Request) string {
	if !h.At(r.Host) {
		return "the inspector is not at the host " + r.Host + ": use localhost or 127.0.0.1, or start the daemon with --inspect-host"
	}
	for _, from := range r.Header.Values("Origin") {
		if at, err := url.Parse(from); err != nil || at.Host != r.Host {
			return "the inspector does not answer pages of " + from
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "", site == "same-origin", site == "none":
		return ""
	case navigation(r) && !forData(r):
		return ""
	default:
		return "the inspector does not answer pages of other origins (Sec-Fetch-Site: " + site + ")"
	}
}

// pageHeader is the header that the page sends with requests for data. Another page cannot send it without a preflight,
// which is never answered. At a host without TLS that is not this machine, browsers send no Sec-Fetch-Site.
const pageHeader = "X-Canisterd-Inspect"

// dataPaths begin the paths of what needs a session.
var dataPaths = []string{Path + "rpc/", Path + "stream/", Path + "names", Path + "types", Path + "values"}

// forData reports whether a request is not for a page or one of its files.
func forData(r *http.Request) bool {
	return slices.ContainsFunc(dataPaths, func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) })
}

// navigation reports whether a browser opens a page in a whole window, as for a link in another page.
func navigation(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// ownFiles returns the part of a Content-Security-Policy that lets a page load only files of the inspector, and not those
// of a canister at the same host (?canisterId=).
func ownFiles(host string) string {
	root := host + Path
	if strings.HasPrefix(host, "[") {
		root = "'self'" // a policy cannot name an IPv6 address
	}
	return "default-src 'none'; script-src " + root + " " + importMap() + "; style-src " + root + "; img-src " + root + "; connect-src " + root
}

// protect sets the headers that keep other pages out, with a Content-Security-Policy that begins with what a page may
// load.
func protect(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
}
