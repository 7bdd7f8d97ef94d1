package verify

import (
	"crypto/sha256"
	"strings"

	"github.com/canisterd/canisterd/internal/certify"
)

// hash hashes the certified parts of a request (HTTP gateway protocol specification, "Request Hash Calculation").
func (t *requestTerms) hash(r *Request) [sha256.Size]byte {
	fields := certify.Fields{{Name: ":ic-cert-method", Value: certify.Text(r.Method)}}
	for _, h := range r.Headers {
		if containsFold(t.headers, h.Name) {
			fields = append(fields, certify.Field{Name: strings.ToLower(h.Name), Value: certify.Text(h.Value)})
		}
	}
	if query := t.query(r.URL); query != "" {
		fields = append(fields, certify.Field{Name: ":ic-cert-query", Value: certify.Text(query)})
	}
	return joined(certify.HashOfMap(fields), sha256.Sum256(r.Body))
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
	fields := certify.Fields{{Name: ":ic-cert-status", Value: certify.Nat64(r.Status)}}
	for _, h := range certified {
		fields = append(fields, certify.Field{Name: strings.ToLower(h.Name), Value: certify.Text(h.Value)})
	}
	return joined(certify.HashOfMap(fields), sha256.Sum256(r.Body))
}

func joined(a, b [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append(a[:], b[:]...))
}
