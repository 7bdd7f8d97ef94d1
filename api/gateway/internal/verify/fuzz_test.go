package verify

import (
	"testing"

	"github.com/canisterd/canisterd/internal/certify"
)

func FuzzAnyHeadersAreVerifiedOrRefused(f *testing.F) {
	for _, change := range good {
		p := newPage()
		change(p)
		if _, err := p.check(); err != nil {
			f.Fatal(err)
		}
		certificate, _, _ := find(p.response.Headers, certificateHeader)
		expression, _, _ := find(p.response.Headers, expressionHeader)
		f.Add(certificate, expression, p.request.URL)
	}
	v, err := New(certify.NewSubnetKey(certify.Seed{}).Public().DER())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, certificate, expression, url string) {
		request := &Request{Method: "GET", URL: url}
		response := &Response{Status: 299, Headers: []Header{{certificateHeader, certificate}, {expressionHeader, expression}}}
		if result, err := v.Verify(site, now, request, response, func() int { return 1 }); err == nil && !result.Free {
			t.Errorf("an answer without a certificate is verified: %+v", result)
		}
		if p, err := parseProof(certificate); err == nil && p.path != nil {
			_ = checkPath(p.tree, p.path, url)
		}
		_, _ = parseExpression(expression)
	})
}
