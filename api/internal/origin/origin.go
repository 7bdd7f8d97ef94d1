package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// localhost is the domain that always names this machine.
const localhost = "localhost"

// privateDomains are the top-level domains of names that machines and containers have without anybody's doing, and that
// public name servers never resolve, so that no foreign page has such a name. Names in other private domains, such as
// .test, resolve only where a user has set that up, and the user allows them (--allow-origin, --domain).
var privateDomains = []string{localhost, "internal", "local"}

// ForeignHeader returns the header, with its value, that shows that a foreign page sent the request: an Origin other
// than this machine, or, if the page's own name resolves to this machine (DNS rebinding), that name as the Host. It is
// empty for other requests.
func ForeignHeader(r *http.Request) string {
	for _, origin := range r.Header.Values("Origin") {
		if page, err := url.Parse(origin); err != nil || !LocalName(page.Hostname()) {
			return "Origin: " + origin
		}
	}
	if !PrivateName(Hostname(r.Host)) {
		return "Host: " + r.Host
	}
	return ""
}

// Hostname returns the host of host:port.
func Hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// LocalName reports whether a host is this machine: localhost, a name below it, or a loopback address.
func LocalName(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().IsLoopback()
	}
	return topLevel(host) == localhost
}

// PrivateName reports whether a host cannot be the public name of a page: an address, a name without dots, or one in a
// private domain.
func PrivateName(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	top := topLevel(host)
	return top == strings.ToLower(strings.TrimSuffix(host, ".")) || slices.Contains(privateDomains, top)
}

// topLevel returns the last label of a name, in lower case.
func topLevel(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name[strings.LastIndexByte(name, '.')+1:]
}
