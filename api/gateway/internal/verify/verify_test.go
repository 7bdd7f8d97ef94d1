package verify

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

const now = 1_700_000_000_000_000_000

// expressions of the tests.
const (
	bodyOnly = `default_certification(ValidationArgs{certification:Certification{no_request_certification:Empty{},` +
		`response_certification:ResponseCertification{certified_response_headers:ResponseHeaderList{headers:["Content-Type"]}}}})`
	full = `default_certification(ValidationArgs{certification:Certification{request_certification:RequestCertification{` +
		`certified_request_headers:["Accept"],certified_query_parameters:["q"]},` +
		`response_certification:ResponseCertification{response_header_exclusions:ResponseHeaderList{headers:["Date"]}}}})`
	nothing = `default_certification(ValidationArgs{no_certification:Empty{}})`
)

var site = principal.Canister(7)

// page is a certified answer, of which a test changes one part.
type page struct {
	request    Request
	response   Response // without the header IC-Certificate
	expression string
	path       []string
	also       [][]string // further paths that the canister certifies
	witness    [][]string // paths that the witness shows beside its own; their absence, if the canister does not certify them
	version    int
	canister   principal.Principal // of the certificate
	at         uint64
	key        *certify.SubnetKey
	header     func(string) string // changes the header IC-Certificate; nil: leaves it
	section    string

	later func(*page) // changes the answer after it was certified
}

func newPage() *page {
	return &page{
		request:    Request{Method: "GET", URL: "/a/b?q=1&r=2", Headers: []Header{{"accept", "text/html"}}},
		response:   Response{Status: 200, Headers: []Header{{"Content-Type", "text/html"}, {"Date", "today"}}, Body: []byte("hello")},
		expression: full, path: []string{"http_expr", "a", "b", "<$>"}, version: 2, canister: site, at: now,
		key: certify.NewSubnetKey(certify.Seed{}),
	}
}

// nested is the map that has a node at a path.
func nested(node certify.Node, path ...string) certify.Tree {
	tree := certify.Tree{}
	return tree.Set(node, labels(path...)...)
}

// tree is what the canister certifies.
func (p *page) tree() certify.Tree {
	if p.version == 1 {
		hash := sha256.Sum256(p.response.Body)
		return nested(certify.Leaf(hash[:]), p.path...)
	}
	hash := sha256.Sum256([]byte(p.expression))
	at := append(append([]string(nil), p.path...), string(hash[:]))
	tree := nested(certify.Leaf(nil), at...)
	if e, err := parseExpression(p.expression); err == nil && !e.none {
		var certified []Header
		for _, h := range p.response.Headers {
			if e.certifies(h.Name) {
				certified = append(certified, h)
			}
		}
		asked := ""
		if e.request != nil {
			hash := e.request.hash(&p.request)
			asked = string(hash[:])
		}
		answered := responseHash(&p.response, certified)
		tree = nested(certify.Leaf(nil), append(at, asked, string(answered[:]))...)
	}
	for _, path := range p.also {
		tree = tree.Set(certify.Leaf(nil), labels(path...)...)
	}
	return tree
}

// check certifies the answer, changes it, and verifies it.
func (p *page) check() (*Result, error) {
	if p.version == 2 && p.expression != "" {
		p.response.Headers = append(p.response.Headers, Header{"IC-CertificateExpression", p.expression})
	}
	tree := p.tree()
	shown := []certify.Path{labels(p.path...)}
	for _, path := range p.witness {
		shown = append(shown, labels(path...))
	}
	root := tree.Root()
	state := certify.Tree{}.Set(certify.Leaf(root[:]), certify.CanisterPath(p.canister, "certified_data")...)
	state = state.Set(certify.Leaf(certify.AppendNat(nil, p.at)), certify.TimePath()...)
	certificate := certify.NewHeight(state, p.key).Certificate(nil, certify.CanisterPath(p.canister, "certified_data"), certify.TimePath())
	path, err := cbor.Marshal(p.path)
	if err != nil {
		panic(err)
	}
	header := fmt.Sprintf("certificate=:%s:, tree=:%s:, version=%d, expr_path=:%s:", text(certificate),
		text(tree.AppendWitness([]byte(selfDescribed), shown...)), p.version, text(append([]byte(selfDescribed), path...)))
	if p.header != nil {
		header = p.header(header)
	}
	if header != "" {
		p.response.Headers = append(p.response.Headers, Header{"ic-certificate", header})
	}
	if p.later != nil {
		p.later(p)
	}
	v, err := New(certify.NewSubnetKey(certify.Seed{}).Public().DER())
	if err != nil {
		panic(err)
	}
	return v.Verify(site, now, &p.request, &p.response, func() int { return Least(p.section) })
}

func text(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }

// good are changes that leave an answer certified.
var good = map[string]func(*page){
	"as it was certified":               func(*page) {},
	"a header that is not certified":    func(p *page) { p.later = func(p *page) { p.response.Headers[1].Value = "tomorrow" } },
	"a parameter that is not certified": func(p *page) { p.later = func(p *page) { p.request.URL = "/a/b?r=3&q=1" } },
	"a request header that is not certified": func(p *page) {
		p.later = func(p *page) { p.request.Headers = append(p.request.Headers, Header{"dnt", "1"}) }
	},
	"another letter case of headers": func(p *page) { p.later = func(p *page) { p.response.Headers[0].Name = "CONTENT-type" } },
	"a path with escapes":            func(p *page) { p.request.URL, p.path = "/a%20b?q=1", []string{"http_expr", "a b", "<$>"} },
	"a folder":                       func(p *page) { p.request.URL, p.path = "/a/", []string{"http_expr", "a", "", "<$>"} },
	"nothing certified":              func(p *page) { p.expression = nothing; p.later = func(p *page) { p.response.Body = []byte("other") } },
	"the body alone":                 func(p *page) { p.expression = bodyOnly; p.later = func(p *page) { p.request.Method = "POST" } },
	"five minutes ago":               func(p *page) { p.at = now - 300_000_000_000 },
	"in five minutes":                func(p *page) { p.at = now + 300_000_000_000 },
	"fields in another order, one of them unknown": func(p *page) { p.header = func(h string) string { return "unknown=1, " + h } },
	"version 1":                                     func(p *page) { p.version, p.path = 1, []string{"http_assets", "/a/b"} },
	"version 1, the page for all others":            func(p *page) { p.version, p.path = 1, []string{"http_assets", "/index.html"} },
	"version 1 of a canister that has no other":     func(p *page) { p.version, p.path, p.section = 1, []string{"http_assets", "/a/b"}, "1" },
	"version 2 of a canister that has both of them": func(p *page) { p.section = "1, 2" },
	"a wildcard": func(p *page) {
		p.path, p.witness = []string{"http_expr", "<*>"}, [][]string{{"http_expr", "a"}, {"http_expr", ""}}
	},
	"a wildcard of a folder": func(p *page) {
		p.path = []string{"http_expr", "a", "", "<*>"}
		p.witness = [][]string{{"http_expr", "a", "b"}}
	},
}

func TestACertifiedAnswerIsVerified(t *testing.T) {
	for name, change := range good {
		p := newPage()
		change(p)
		if _, err := p.check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bad are changes after which an answer is refused, with a part of the text.
var bad = map[string]struct {
	change func(*page)
	want   string
}{
	"another body":   {func(p *page) { p.later = func(p *page) { p.response.Body = []byte("HELLO") } }, "not those that the canister has certified"},
	"another status": {func(p *page) { p.later = func(p *page) { p.response.Status = 404 } }, "not those that the canister has certified"},
	"another header": {func(p *page) { p.later = func(p *page) { p.response.Headers[0].Value = "text/plain" } }, "not those that the canister has certified"},
	"a further header": {func(p *page) {
		p.later = func(p *page) { p.response.Headers = append(p.response.Headers, Header{"set-cookie", "a=b"}) }
	}, "not those that the canister has certified"},
	"another method":    {func(p *page) { p.later = func(p *page) { p.request.Method = "POST" } }, "the request is not the one"},
	"another parameter": {func(p *page) { p.later = func(p *page) { p.request.URL = "/a/b?q=2" } }, "the request is not the one"},
	"another request":   {func(p *page) { p.later = func(p *page) { p.request.Headers[0].Value = "*/*" } }, "the request is not the one"},
	"another request body": {
		func(p *page) { p.later = func(p *page) { p.request.Body = []byte("x") } }, "the request is not the one",
	},
	"another expression": {
		func(p *page) { p.later = func(p *page) { p.response.Headers[2].Value = nothing } }, "the expression of the response is not certified",
	},
	"another path":   {func(p *page) { p.later = func(p *page) { p.request.URL = "/a/c?q=1" } }, `is certified for the path`},
	"a folder":       {func(p *page) { p.later = func(p *page) { p.request.URL = "/a/b/?q=1" } }, `is certified for the path`},
	"no certificate": {func(p *page) { p.header = func(string) string { return "" } }, "no header IC-Certificate"},
	"two certificates": {
		func(p *page) {
			p.later = func(p *page) { p.response.Headers = append(p.response.Headers, Header{"IC-Certificate", ""}) }
		}, "more than one header",
	},
	"no expression": {func(p *page) { p.expression = "" }, "no header IC-CertificateExpression"},
	"no path": {
		func(p *page) { p.header = func(h string) string { return strings.Replace(h, "expr_path", "path", 1) } }, "has no expr_path",
	},
	"no tree": {func(p *page) { p.header = func(h string) string { return strings.Replace(h, "tree=", "wood=", 1) } }, "needs both"},
	"version 3": {func(p *page) {
		p.header = func(h string) string { return strings.Replace(h, "version=2", "version=3", 1) }
	}, "invalid version 3"},
	"version x": {func(p *page) {
		p.header = func(h string) string { return strings.Replace(h, "version=2", "version=x", 1) }
	}, `invalid version "x"`},
	"damaged base64": {func(p *page) {
		p.header = func(h string) string { return strings.Replace(h, "certificate=:2", "certificate=:!", 1) }
	}, "illegal base64"},
	"an old certificate": {
		func(p *page) { p.at = now - 300_000_000_001 }, "the certificate is of another time",
	},
	"a future certificate": {func(p *page) { p.at = now + 300_000_000_001 }, "the certificate is of another time"},
	"another canister":     {func(p *page) { p.canister = principal.Canister(8) }, "does not show the certified data of canister " + site.String()},
	"another root key":     {func(p *page) { p.key = certify.NewSubnetKey(certify.Seed{}.Derive("other", 0)) }, "signature"},
	"another prefix":       {func(p *page) { p.path = []string{"other", "a", "b", "<$>"} }, `expected "http_expr"`},
	"another suffix":       {func(p *page) { p.path = []string{"http_expr", "a", "b"} }, `expected "<$>" or "<*>"`},
	"a wildcard elsewhere": {func(p *page) { p.path = []string{"http_expr", "x", "<*>"} }, "do not cover"},
	"a wildcard beside the exact path": {
		func(p *page) {
			p.path, p.also = []string{"http_expr", "<*>"}, [][]string{{"http_expr", "a", "b", "<$>"}}
			p.witness = [][]string{{"http_expr", "a"}, {"http_expr", ""}}
		}, `"http_expr" "a" "b" "<$>"] is absent`,
	},
	"a wildcard beside a more specific one": {
		func(p *page) {
			p.path, p.also = []string{"http_expr", "<*>"}, [][]string{{"http_expr", "a", "<*>"}}
			p.witness = [][]string{{"http_expr", "a"}, {"http_expr", ""}}
		}, `"http_expr" "a" "<*>"] is absent`,
	},
	"a wildcard whose tree hides the rest": {
		func(p *page) {
			p.path, p.also = []string{"http_expr", "<*>"}, [][]string{{"http_expr", "a", "x"}}
		}, "a more specific path may be certified",
	},
	"version 1 where there is version 2": {
		func(p *page) { p.version, p.path, p.section = 1, []string{"http_assets", "/a/b"}, "1,2" }, "supported_certificate_versions",
	},
	"version 1 with another body": {
		func(p *page) {
			p.version, p.path = 1, []string{"http_assets", "/a/b"}
			p.later = func(p *page) { p.response.Body = []byte("HELLO") }
		}, "the body of the response is not the one",
	},
	"version 1 with a redirect": {
		func(p *page) { p.version, p.path, p.response.Status = 1, []string{"http_assets", "/a/b"}, 302 }, "redirects need version 2",
	},
	"version 1 of another path": {
		func(p *page) { p.version, p.path = 1, []string{"http_assets", "/c"} }, "is among the certified assets",
	},
}

func TestAnAnswerThatWasChangedIsRefused(t *testing.T) {
	for name, row := range bad {
		p := newPage()
		row.change(p)
		if _, err := p.check(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func TestOnlyCertifiedHeadersArePassedOn(t *testing.T) {
	for expression, want := range map[string]string{
		full:     "Content-Type IC-CertificateExpression ic-certificate",
		bodyOnly: "Content-Type IC-CertificateExpression ic-certificate",
		nothing:  "Content-Type Date IC-CertificateExpression ic-certificate",
	} {
		p := newPage()
		p.expression = expression
		result, err := p.check()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, h := range result.Headers {
			names = append(names, h.Name)
		}
		if got := strings.Join(names, " "); got != want || result.Free != (expression == nothing) {
			t.Errorf("%s: %s (free: %t), want %s", expression, got, result.Free, want)
		}
	}
}

func TestACompressedBodyIsCertifiedInVersion1ByItsContent(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		p := newPage()
		p.version, p.path = 1, []string{"http_assets", "/a/b"}
		p.response.Headers = append(p.response.Headers, Header{"content-encoding", "gzip"}, Header{"Cache-Control", "max-age=9"})
		p.later = func(p *page) {
			content := []byte("hello")
			if damaged {
				content = []byte("jello")
			}
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write(content)
			_ = w.Close()
			p.response.Body = packed.Bytes()
		}
		result, err := p.check()
		if (err != nil) != damaged {
			t.Errorf("damaged %t: %v", damaged, err)
		}
		if err == nil && strings.Contains(fmt.Sprint(result.Headers), "max-age") {
			t.Errorf("a header that version 1 does not cover is passed on: %v", result.Headers)
		}
	}
}

func TestTheLast64CertificatesAreRemembered(t *testing.T) {
	v, err := New(certify.NewSubnetKey(certify.Seed{}).Public().DER())
	if err != nil {
		t.Fatal(err)
	}
	for i := range byte(129) {
		v.valid.Add([32]byte{i})
	}
	if v.valid.Has([32]byte{0}) || !v.valid.Has([32]byte{64}) || !v.valid.Has([32]byte{128}) {
		t.Error("the last 64 certificates are not remembered, or the first is")
	}
}

func TestAnExpressionPathHas256Segments(t *testing.T) {
	for count, want := range map[int]bool{256: true, 257: false} {
		raw, err := cbor.Marshal(make([]string, count))
		if err != nil {
			t.Fatal(err)
		}
		if path, err := decodePath(raw); (err == nil) != want || want && len(path) != count {
			t.Errorf("%d segments: %d, %v", count, len(path), err)
		}
	}
}
