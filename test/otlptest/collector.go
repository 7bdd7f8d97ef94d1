// Package otlptest is a collector of spans for tests.
package otlptest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TB is what a collector needs of a test.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Collector takes spans as a collector of OpenTelemetry does. Safe for concurrent use.
type Collector struct {
	t        TB
	mu       sync.Mutex // guards what follows
	spans    []*tracepb.Span
	resource map[string]string
	token    string
}

// New makes a collector, which reports requests that no collector would understand.
func New(t TB) *Collector { return &Collector{t: t} }

// Take keeps the spans of a request that had a token.
func (c *Collector) Take(body []byte, token string) {
	var request collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		c.t.Errorf("a request is not OTLP: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token = token
	for _, r := range request.GetResourceSpans() {
		c.resource = Texts(r.GetResource().GetAttributes())
		for _, s := range r.GetScopeSpans() {
			c.spans = append(c.spans, s.GetSpans()...)
		}
	}
}

// ServeHTTP takes OTLP over HTTP.
func (c *Collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s %s of type %s: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	c.Take(body, r.Header.Get("X-Token"))
}

// Spans are all spans so far, in the order in which they came.
func (c *Collector) Spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Last are the attributes of the resource, and the header x-token, of the request that came last.
func (c *Collector) Last() (resource map[string]string, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource, c.token
}

// Named is the span with a name that came last. Without one it ends the test.
func (c *Collector) Named(name string) *tracepb.Span {
	c.t.Helper()
	spans := c.Spans()
	for _, span := range slices.Backward(spans) {
		if span.GetName() == name {
			return span
		}
	}
	c.t.Fatalf("no span is called %q among %d", name, len(spans))
	return nil
}

// Texts are attributes as texts, by name.
func Texts(attributes []*commonpb.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, a := range attributes {
		if value, is := a.GetValue().GetValue().(*commonpb.AnyValue_StringValue); is {
			all[a.GetKey()] = value.StringValue
		} else if _, value, found := strings.Cut(a.GetValue().String(), ":"); found {
			all[a.GetKey()] = strings.TrimSpace(value)
		}
	}
	return all
}
