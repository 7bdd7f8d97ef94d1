package management

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/replica/internal/outcall"
)

// httpRequestArg is http_request_args.
type httpRequestArg struct {
	URL         string           `ic:"url"`
	MaxResponse *uint64          `ic:"max_response_bytes"`
	Method      httpMethod       `ic:"method"`
	Headers     []outcall.Header `ic:"headers"`
	Body        *[]byte          `ic:"body"`
	Transform   *httpTransform   `ic:"transform"`
	Replicated  *bool            `ic:"is_replicated"`
	Pricing     *uint32          `ic:"pricing_version"`
}

// flexibleRequestArg is flexible_http_request_args.
type flexibleRequestArg struct {
	URL         string           `ic:"url"`
	MaxResponse *uint64          `ic:"max_response_bytes"`
	Method      httpMethod       `ic:"method"`
	Headers     []outcall.Header `ic:"headers"`
	Body        *[]byte          `ic:"body"`
	Transform   *httpTransform   `ic:"transform"`
	Replication *replicationArg  `ic:"replication"`
}

// replicationArg is replication_counts.
type replicationArg struct {
	Min   uint32 `ic:"min_responses"`
	Max   uint32 `ic:"max_responses"`
	Total uint32 `ic:"total_requests"`
}

// request returns the part that flexible outcalls share with the others.
func (a *flexibleRequestArg) request() *httpRequestArg {
	return &httpRequestArg{URL: a.URL, MaxResponse: a.MaxResponse, Method: a.Method, Headers: a.Headers, Body: a.Body, Transform: a.Transform}
}

func (a *flexibleRequestArg) bounds() error { return boundHeaders(a.Headers) }

type httpMethod struct {
	Get    *candid.Null `ic:"get,variant"`
	Head   *candid.Null `ic:"head,variant"`
	Post   *candid.Null `ic:"post,variant"`
	Put    *candid.Null `ic:"put,variant"`
	Delete *candid.Null `ic:"delete,variant"`
	Patch  *candid.Null `ic:"patch,variant"`
}

// name returns the method's name in HTTP, and whether every node may make a request with it: a request that has side
// effects when it is repeated or reordered is for a single node.
func (m *httpMethod) name() (name string, replicated bool) {
	switch {
	case m.Get != nil:
		return "GET", true
	case m.Head != nil:
		return "HEAD", true
	case m.Post != nil:
		return "POST", true
	case m.Put != nil:
		return "PUT", false
	case m.Delete != nil:
		return "DELETE", false
	}
	return "PATCH", false
}

type httpTransform struct {
	Function outcall.TransformFunc `ic:"function"`
	Context  []byte                `ic:"context"`
}

func (a *httpRequestArg) bounds() error { return boundHeaders(a.Headers) }

// boundHeaders checks headers while they are decoded.
func boundHeaders(headers []outcall.Header) error {
	all := 0
	for i := range headers {
		size := len(headers[i].Name) + len(headers[i].Value)
		all += size
		switch {
		case i == outcall.MaxHeaders:
			return tooManyElements(outcall.MaxHeaders)
		case size > 2*outcall.MaxHeaderPartBytes:
			return fmt.Errorf("Deserialize error: The single element data size exceeds maximum allowed %d", 2*outcall.MaxHeaderPartBytes)
		case all > outcall.MaxHeadersBytes:
			return fmt.Errorf("Deserialize error: The total data size exceeds maximum allowed %d", outcall.MaxHeadersBytes)
		}
	}
	return nil
}

// outcallMethods returns the methods that reach the outside world.
func outcallMethods() []method {
	return []method{
		withHandler(method{name: "http_request", result: of[outcall.Result](), users: notByIngress, sameSubnetOnly: true}, read, httpRequest),
		withHandler(method{name: "flexible_http_request", result: of[outcall.FlexibleResult](), users: notByIngress, sameSubnetOnly: true}, read, flexibleHTTPRequest),
	}
}
