package origin

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// anyOrigin allows pages of all origins.
const anyOrigin = "*"

// Allowed lists origins of pages that may use an interface as if they were local, such as https://app.example; "*" is
// every origin and host.
type Allowed []string

// Check returns an error for an entry that no browser sends as an Origin.
func (a Allowed) Check() error {
	for _, text := range a {
		at, err := url.Parse(text)
		if text != anyOrigin && (err != nil || at.Host == "" || at.User != nil || text != at.Scheme+"://"+at.Host) {
			return fmt.Errorf("%q is not an origin: use SCHEME://HOST[:PORT] without a path, such as https://app.example, or * for all origins", text)
		}
	}
	return nil
}

// ForeignHeader is the function ForeignHeader for an interface that allows these origins. The host of an allowed origin
// is also a name of this machine: a proxy serves both.
func (a Allowed) ForeignHeader(r *http.Request) string {
	if len(a) == 0 {
		return ForeignHeader(r)
	}
	if slices.Contains(a, anyOrigin) {
		return ""
	}
	own := new(http.Request)
	own.Host, own.Header = r.Host, http.Header{}
	for _, from := range r.Header.Values("Origin") {
		if !a.has(from) {
			own.Header.Add("Origin", from)
		}
	}
	if a.hosts(r.Host) {
		own.Host = localhost
	}
	return ForeignHeader(own)
}

// has reports whether an origin is allowed. Schemes and hosts have no case.
func (a Allowed) has(from string) bool {
	return slices.ContainsFunc(a, func(one string) bool { return strings.EqualFold(one, from) })
}

// hosts reports whether an allowed origin has a host.
func (a Allowed) hosts(host string) bool {
	return slices.ContainsFunc(a, func(one string) bool {
		_, at, _ := strings.Cut(one, "://")
		return strings.EqualFold(Hostname(at), Hostname(host))
	})
}
