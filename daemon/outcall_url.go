package daemon

import (
	"errors"
	"net/url"
	"strings"
)

// The replica's texts about URLs that it cannot read.
var (
	errURLEmpty     = errors.New("Failed to parse URL: empty string")
	errURLFormat    = errors.New("Failed to parse URL: invalid format")
	errURLChar      = errors.New("Failed to parse URL: invalid uri character")
	errURLAuthority = errors.New("Failed to parse URL: invalid authority")
	errURLScheme    = errors.New("Url need to specify https scheme")
)

// parseURL reads the URL of an outcall as the replica does. The path and query reach the server byte by byte as the
// canister wrote them; user and fragment are not sent. With strict, only https is allowed.
func parseURL(text string, strict bool) (*url.URL, error) {
	if text == "" {
		return nil, errURLEmpty
	}
	scheme, rest, absolute := cutScheme(text)
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	if strings.IndexFunc(authority, func(r rune) bool { return !allowedInAuthority(r) }) >= 0 {
		return nil, errURLChar
	}
	switch {
	case !absolute && authority != "" && path != "", absolute && authority == "":
		return nil, errURLFormat
	}
	path, _, _ = strings.Cut(path, "#")
	if !allowedPath(path) {
		return nil, errURLChar
	}
	if scheme != "https" && (scheme != "http" || strict) {
		return nil, errURLScheme
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	parsed, err := url.Parse(scheme + "://" + host)
	if err != nil || parsed.Hostname() == "" {
		return nil, errURLAuthority
	}
	setPath(parsed, path)
	return parsed, nil
}

// cutScheme cuts off the scheme and returns it in lower case.
func cutScheme(text string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(text, "://")
	ok = ok && scheme != "" && strings.IndexFunc(scheme, func(r rune) bool { return !alphanumeric(r) && !strings.ContainsRune("+-.", r) }) < 0
	if !ok {
		return "", text, false
	}
	return strings.ToLower(scheme), rest, true
}

// setPath sets the path and query of a URL. They are opaque to net/url, which would encode some characters differently.
func setPath(to *url.URL, path string) {
	switch {
	case path == "" || path[0] == '?':
		path = "/" + path
	case strings.HasPrefix(path, "//"):
		// As the opaque part it would be read as a host name.
		to.RawPath, to.RawQuery, to.ForceQuery = path, "", false
		if before, query, found := strings.Cut(path, "?"); found {
			to.RawPath, to.RawQuery, to.ForceQuery = before, query, query == ""
		}
		to.Path = to.RawPath
		if unescaped, err := url.PathUnescape(to.RawPath); err == nil {
			to.Path = unescaped
		}
		return
	}
	to.Opaque = path
}

func alphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// allowedInAuthority reports whether a host, port or user may have a character.
func allowedInAuthority(r rune) bool {
	return alphanumeric(r) || strings.ContainsRune("!$&'()*+,-.:;=@[]_~%", r)
}

// allowedPath reports whether a path with a query has only allowed characters: printable ASCII, in the path without <,
// > and backquotes, in the query without <, > and quotes.
func allowedPath(path string) bool {
	forbidden := "<>`"
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(forbidden, c) >= 0 {
			return false
		}
		if c == '?' {
			forbidden = "<>\""
		}
	}
	return true
}
