package verify

import (
	"crypto/sha256"
	"strings"

	"github.com/canisterd/canisterd/api/internal/wire"
)

// hash hashes the certified parts of a request (HTTP gateway protocol specification, "Request Hash Calculation").
func (t *requestTerms) hash(r *Request) [sha256.Size]byte {
	var m wire.HashedMap
	m.Text(":ic-cert-method", r.Method)
	for _, h := range r.Headers {
		if containsFold(t.headers, h.Name) {
			m.Text(strings.ToLower(h.Name), h.Value)
		}
	}
	if query := t.query(r.URL); query != "" {
		m.Text(":ic-cert-query", query)
	}
	return joined(m.Hash(), sha256.Sum256(r.Body))
}

// query returns the certified parameters of a URL's query, in order.
func (t *requestTerms) query(target string) string {
	_, query, ok := splitURL(target)
	if !ok {
		return ""
	}
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(part, "="); containsFold(t.parameters, name) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&")
}

// responseHash hashes the certified parts of a response, which has these certified headers (HTTP gateway protocol
// specification, "Response Hash Calculation").
func responseHash(r *Response, certified []Header) [sha256.Size]byte {
	var m wire.HashedMap
	m.Nat(":ic-cert-status", uint64(r.Status))
	for _, h := range certified {
		m.Text(strings.ToLower(h.Name), h.Value)
	}
	return joined(m.Hash(), sha256.Sum256(r.Body))
}

func joined(a, b [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append(a[:], b[:]...))
}
