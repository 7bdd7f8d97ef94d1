package daemon

import (
	"encoding/hex"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/test/otlptest"
)

// collectHTTP is a collector over HTTP, and what sends to it.
func collectHTTP(t *testing.T) (*otlptest.Collector, Spans) {
	t.Helper()
	c := otlptest.New(t)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, spansTo(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-token=a%20b", "OTEL_SERVICE_NAME": "tested",
		"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
	})
}

// spansTo is what sends spans as environment variables say.
func spansTo(t *testing.T, environment map[string]string) Spans {
	t.Helper()
	spans, err := SpansFromEnvironment("", func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

// rawCodec passes messages of gRPC on as bytes.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (rawCodec) Name() string { return "proto" }

// collectGRPC is a collector over gRPC, and what sends to it.
func collectGRPC(t *testing.T) (*otlptest.Collector, Spans) {
	t.Helper()
	c := otlptest.New(t)
	server := grpc.NewServer(grpc.ForceServerCodec(rawCodec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if method, _ := grpc.MethodFromServerStream(stream); method != "/opentelemetry.proto.collector.trace.v1.TraceService/Export" {
			t.Errorf("the method is %s", method)
		}
		var body []byte
		if err := stream.RecvMsg(&body); err != nil {
			return err
		}
		head, _ := metadata.FromIncomingContext(stream.Context())
		c.Take(body, strings.Join(head.Get("x-token"), ","))
		return stream.SendMsg(new([]byte))
	}))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c, spansTo(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + listener.Addr().String(), "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
		"OTEL_EXPORTER_OTLP_HEADERS": "x-token=a%20b", "OTEL_SERVICE_NAME": "tested", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
	})
}

// relayed has a canister pass a greeting on to another, once with success and once to a canister that does not exist.
func relayed(t *testing.T, d *Daemon) (greeter, relay string) {
	t.Helper()
	u := userOf(t, d)
	example := func(name string) []byte {
		module, err := os.ReadFile("../examples/motoko/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		return module
	}
	to, from := u.deploy(example("greeter")), u.deploy(example("relay"))
	pass := func(to string) error {
		argument, err := candid.Marshal(to, "Ada")
		if err != nil {
			t.Fatal(err)
		}
		_, err = u.Call(u.ctx, from, from, "pass", argument)
		return err
	}
	if err := pass("5v3p4-iyaaa-aaaaa-qaaaa-cai"); err == nil {
		t.Fatal("a canister that does not exist has answered")
	}
	if err := pass(to.String()); err != nil {
		t.Fatal(err)
	}
	return to.String(), from.String()
}

func TestACollectorReceivesTheSpansOfAMessageAndItsCalls(t *testing.T) {
	for name, collect := range map[string]func(*testing.T) (*otlptest.Collector, Spans){"http": collectHTTP, "grpc": collectGRPC} {
		t.Run(name, func(t *testing.T) {
			c, spans := collect(t)
			begun := time.Now()
			d := started(t, Config{Spans: spans})
			greeter, relay := relayed(t, d)
			if err := d.Close(); err != nil { // sends what is queued
				t.Fatal(err)
			}
			checkRelayed(t, c, greeter, relay)
			root := c.Named("pass")
			if start := time.Unix(0, int64(root.GetStartTimeUnixNano())); start.Before(begun) || start.After(time.Now()) {
				t.Errorf("the message came at %s", start)
			}
			resource, token := c.Last()
			if token != "a b" || resource["service.name"] != "tested" || resource["canisterd.instance"] != "default" || resource["deployment.environment"] != "test" {
				t.Errorf("the token is %q, the resource %v", token, resource)
			}
			if counts := d.spans.Counts(); counts.Sent != uint64(len(c.Spans())) || counts.Rejected+counts.Dropped+counts.Missed != 0 || counts.Queued != 0 {
				t.Errorf("of %d spans the counts are %+v", len(c.Spans()), counts)
			}
		})
	}
}

// checkRelayed checks the spans of the last greeting that was passed on, and of the one that was rejected.
func checkRelayed(t *testing.T, c *otlptest.Collector, greeter, relay string) {
	t.Helper()
	root, child := c.Named("pass"), c.Named("greet")
	if root.GetKind() != tracepb.Span_SPAN_KIND_SERVER || len(root.GetParentSpanId()) != 0 || root.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_UNSET {
		t.Errorf("the root is %v", root)
	}
	if string(child.GetParentSpanId()) != string(root.GetSpanId()) || string(child.GetTraceId()) != string(root.GetTraceId()) || child.GetKind() != tracepb.Span_SPAN_KIND_CLIENT {
		t.Errorf("the call is %v, under %v", child, root)
	}
	if child.GetStartTimeUnixNano() < root.GetStartTimeUnixNano() || child.GetEndTimeUnixNano() > root.GetEndTimeUnixNano() || child.GetEndTimeUnixNano() < child.GetStartTimeUnixNano() {
		t.Errorf("the call lasts from %d to %d, the message from %d to %d", child.GetStartTimeUnixNano(), child.GetEndTimeUnixNano(), root.GetStartTimeUnixNano(), root.GetEndTimeUnixNano())
	}
	of, under := otlptest.Texts(root.GetAttributes()), otlptest.Texts(child.GetAttributes())
	if of["canisterd.method"] != "pass" || of["canisterd.canister"] != relay || of["canisterd.messages"] != "2" || !strings.HasPrefix(of["canisterd.request"], hex.EncodeToString(root.GetTraceId())) {
		t.Errorf("the root has the attributes %v", of)
	}
	if under["canisterd.method"] != "greet" || under["canisterd.canister"] != greeter || under["canisterd.peer"] != relay || under["canisterd.messages"] != "1" {
		t.Errorf("the call has the attributes %v", under)
	}
	for _, name := range []string{"canisterd.instructions", "canisterd.cycles", "canisterd.time", "canisterd.height"} {
		if of[name] == "" || of[name] == "0" || under[name] == "" || under[name] == "0" {
			t.Errorf("%s is %q of the message and %q of the call", name, of[name], under[name])
		}
	}
	if events := child.GetEvents(); len(events) != 1 || events[0].GetName() != "message executed" || otlptest.Texts(events[0].GetAttributes())["canisterd.entry"] != "update" {
		t.Errorf("the call has the events %v", events)
	}
	rejected := 0
	for _, span := range c.Spans() {
		if code := otlptest.Texts(span.GetAttributes())["canisterd.reject_code"]; code != "" && span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			rejected++
		}
	}
	if rejected != 2 {
		t.Errorf("%d spans are rejected, want a call and its message", rejected)
	}
}

func TestSpansThatACollectorRefusesAreCounted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }))
	t.Cleanup(server.Close)
	d := started(t, Config{Spans: spansTo(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": server.URL})})
	userOf(t, d).deploy(motoko(t, "counter"))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if counts := d.spans.Counts(); counts.Rejected < 2 || counts.Sent != 0 {
		t.Errorf("the counts are %+v", counts)
	}
}

func TestInvalidVariablesOfOpenTelemetryAreClearErrors(t *testing.T) {
	for want, environment := range map[string]map[string]string{
		`invalid OTLP endpoint "localhost:4318"`:                       {"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"},
		`invalid OTEL_EXPORTER_OTLP_PROTOCOL "http/json"`:              {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"},
		`invalid OTEL_EXPORTER_OTLP_TIMEOUT "soon"`:                    {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
		`invalid OTEL_EXPORTER_OTLP_HEADERS: "token" is not key=value`: {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_EXPORTER_OTLP_HEADERS": "token"},
		`invalid OTEL_RESOURCE_ATTRIBUTES: "x" is not key=value`:       {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_RESOURCE_ATTRIBUTES": "x"},
	} {
		if _, err := SpansFromEnvironment("", func(name string) string { return environment[name] }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v, want %s", environment, err, want)
		}
	}
	off := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:1", "OTEL_SDK_DISABLED": "true"}
	if spans := spansTo(t, off); spans.Endpoint != "" {
		t.Errorf("with OTEL_SDK_DISABLED spans go to %s", spans.Endpoint)
	}
	if spans := spansTo(t, nil); spans.Endpoint != "" {
		t.Errorf("without variables spans go to %s", spans.Endpoint)
	}
	spans, err := SpansFromEnvironment("http://flag:1", func(name string) string { return off[name][:0] })
	if err != nil || spans.Endpoint != "http://flag:1" || spans.Exact {
		t.Errorf("with the flag spans go to %q (%v)", spans.Endpoint, err)
	}
}
