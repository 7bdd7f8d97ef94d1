package gateway

import (
	"net/http"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/api/internal/origin"
)

// hopByHop are headers about one connection (RFC 9110, section 7.6.1), in lower case.
var hopByHop = []string{
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
}

// namedByConnection returns the headers that a header Connection names, in lower case.
func namedByConnection(values []string) []string {
	var names []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			names = append(names, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	return names
}

// requestHeaders returns the headers of a request for a canister: in lower case, without those about the connection,
// and with an encoding that every canister has.
func requestHeaders(r *http.Request) []verify.Header {
	drop := namedByConnection(r.Header.Values("Connection"))
	headers := []verify.Header{{Name: "host", Value: r.Host}}
	for name, values := range r.Header {
		name = strings.ToLower(name)
		if slices.Contains(hopByHop, name) || slices.Contains(drop, name) || name == "x-request-id" {
			continue
		}
		for _, value := range values {
			if name == "cookie" {
				if value = origin.WithoutSessions(value); value == "" {
					continue
				}
			}
			if name == "accept-encoding" && !strings.Contains(strings.ToLower(value), "identity") {
				value += ", identity"
			}
			headers = append(headers, verify.Header{Name: name, Value: strings.ToValidUTF8(value, "�")})
		}
	}
	slices.SortFunc(headers, func(a, b verify.Header) int { return strings.Compare(a.Name, b.Name) })
	return headers
}

// has reports whether a request has a header, by its name in lower case.
func has(headers []verify.Header, name string) bool {
	return slices.ContainsFunc(headers, func(h verify.Header) bool { return h.Name == name })
}

// valueOf returns the first value of a header, in any case.
func valueOf(headers []verify.Header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// passOn sets the headers of a canister's response, without those in drop and those about the connection or the length,
// which are the server's.
func passOn(to http.Header, headers []verify.Header, drop ...string) error {
	size := 0
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		if size += len(h.Name) + len(h.Value); size > maxHeaderBytes || len(headers) > maxHeaders {
			return errHeaders
		}
		if slices.Contains(hopByHop, name) || name == "content-length" || slices.Contains(drop, name) || !validHeader(h) {
			continue
		}
		to.Add(h.Name, h.Value)
	}
	return nil
}

// validHeader reports whether a header can be sent (RFC 9110, section 5).
func validHeader(h verify.Header) bool {
	if h.Name == "" {
		return false
	}
	for i := range len(h.Name) {
		if c := h.Name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	for i := range len(h.Value) {
		if c := h.Value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// allowPages lets scripts of any page read a canister's answer, unless the canister restricts that itself: calls to
// canisters need no page's permission on the Internet Computer.
func allowPages(header http.Header) {
	if header.Get("Access-Control-Allow-Origin") == "" {
		header.Set("Access-Control-Allow-Origin", "*")
	}
	if header.Get("Access-Control-Expose-Headers") == "" {
		header.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range, ETag, X-Ic-Canister-Id, X-Request-Id")
	}
}

// preflight tells a browser what a script may send (the Fetch standard, "CORS protocol").
func preflight(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Methods", "HEAD, GET, POST, PUT, DELETE, PATCH, OPTIONS")
	header.Set("Access-Control-Allow-Headers", "Accept, Authorization, Cache-Control, Content-Type, Cookie, DNT, "+
		"If-Modified-Since, If-None-Match, Keep-Alive, Range, User-Agent, X-Ic-Canister-Id, X-Requested-With")
	header.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}
