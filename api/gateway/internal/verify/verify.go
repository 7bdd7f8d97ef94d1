package verify

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Newest is the version of verification that is requested of canisters.
const Newest = 2

// Request is the request to a canister.
type Request struct {
	Method  string
	URL     string // path and query
	Headers []Header
	Body    []byte
}

// Response is its answer, with all parts of a stream in the body.
type Response struct {
	Status  int
	Headers []Header
	Body    []byte
}

// Result is the result of a verification.
type Result struct {
	Version int
	// Free is true if the canister has certified that it certifies nothing here.
	Free bool
	// Headers are the headers that may be passed on.
	Headers []Header
}

// Verify checks a response. now is the time of the network in nanoseconds. least returns the lowest version that the
// canister may answer with (Least); it is called only for version 1. The error is a text for the developer of the
// canister.
func (v *Verifier) Verify(canister principal.Principal, now uint64, request *Request, response *Response, least func() int) (*Result, error) {
	header, ok, err := find(response.Headers, certificateHeader)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the response has no header %s: the canister does not certify it", certificateHeader)
	}
	p, err := parseProof(header)
	if err != nil {
		return nil, err
	}
	switch {
	case p.version < 1 || p.version > Newest:
		return nil, fmt.Errorf("invalid version %d in the header %s: expected 1 or %d", p.version, certificateHeader, Newest)
	case p.version == 1 && least() > 1:
		return nil, errors.New("the response is certified with version 1, but the section supported_certificate_versions of the canister has version 2")
	}
	if err := v.checkCertificate(p, canister, now); err != nil {
		return nil, err
	}
	if p.version == 1 {
		return legacy(p.tree, request, response)
	}
	return current(p, request, response)
}

// legacy is the rest of version 1, which certifies only bodies.
func legacy(tree *certify.HashTree, request *Request, response *Response) (*Result, error) {
	if err := checkLegacy(tree, request, response); err != nil {
		return nil, err
	}
	if response.Status >= 300 && response.Status < 400 {
		return nil, fmt.Errorf("the response has status %d, which version 1 of certification does not cover: redirects need version 2", response.Status)
	}
	result := &Result{Version: 1}
	for _, h := range response.Headers {
		if !strings.EqualFold(h.Name, "Cache-Control") { // a cache would keep uncertified content
			result.Headers = append(result.Headers, h)
		}
	}
	return result, nil
}

// current is the rest of version 2.
func current(p *proof, request *Request, response *Response) (*Result, error) {
	text, ok, err := find(response.Headers, expressionHeader)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("the response has no header %s", expressionHeader)
	case p.path == nil:
		return nil, fmt.Errorf("the header %s has no expr_path", certificateHeader)
	}
	e, err := parseExpression(text)
	if err != nil {
		return nil, err
	}
	path, _, _ := splitURL(request.URL)
	if err := checkPath(p.tree, p.path, path); err != nil {
		return nil, err
	}
	expr := sha256.Sum256([]byte(text))
	under, status := p.tree.LookupSubtree(append(labels(p.path...), certify.Label(expr[:]))...)
	if status != certify.Found {
		return nil, fmt.Errorf("the expression of the response is not certified for the path %q: %s", p.path, status)
	}
	if e.none {
		return &Result{Version: 2, Free: true, Headers: response.Headers}, nil
	}
	return checkHashes(under, e, request, response)
}

// checkHashes checks that the hashes of request and response are in the tree under their expression.
func checkHashes(under *certify.HashTree, e *expression, request *Request, response *Response) (*Result, error) {
	result := &Result{Version: 2}
	var certified []Header
	for _, h := range response.Headers {
		switch {
		case strings.EqualFold(h.Name, certificateHeader):
			result.Headers = append(result.Headers, h)
		case e.certifies(h.Name):
			certified = append(certified, h)
			result.Headers = append(result.Headers, h)
		}
	}
	var asked certify.Label
	if e.request != nil {
		hash := e.request.hash(request)
		asked = certify.Label(hash[:])
	}
	answered := responseHash(response, certified)
	leaf, status := under.Lookup(asked, certify.Label(answered[:]))
	switch _, known := under.LookupSubtree(asked); {
	case status == certify.Found && len(leaf) == 0:
		return result, nil
	case status == certify.Found:
		return nil, errors.New("the leaf of the response in the tree is not empty")
	case known != certify.Found:
		return nil, errors.New("the request is not the one that the canister has certified a response for")
	}
	return nil, errors.New("the status, the headers or the body of the response are not those that the canister has certified")
}

// Least returns the lowest version that a canister may answer with, by its public section
// supported_certificate_versions, such as "1,2" (HTTP gateway protocol specification, "Response Verification Version
// Assertion").
func Least(section string) int {
	least := 1
	for version := range strings.SplitSeq(section, ",") {
		if strings.TrimSpace(version) == "2" {
			least = Newest
		}
	}
	return least
}
