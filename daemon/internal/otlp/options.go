package otlp

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Protocol is how spans are sent.
type Protocol string

// The protocols, by their standard names.
const (
	HTTP Protocol = "http/protobuf"
	GRPC Protocol = "grpc"
)

// Options say where spans go.
type Options struct {
	// Endpoint is the URL of a collector; "" sends no spans. Over HTTP, spans go to the path v1/traces below it.
	Endpoint string
	// Exact says that Endpoint is the whole URL, with its path.
	Exact      bool
	Protocol   Protocol
	Headers    map[string]string
	Timeout    time.Duration     // of one try
	Attributes map[string]string // of the resource: service.name and others
	Log        *slog.Logger      // nil: nothing is logged
}

// FromEnvironment reads the standard variables (OpenTelemetry, "OTLP Exporter Configuration" and "Environment Variable
// Specification"). endpoint, where it is not empty, takes the place of OTEL_EXPORTER_OTLP_ENDPOINT. version is the one of
// the service.
func FromEnvironment(endpoint, version string, lookup func(string) string) (Options, error) {
	one := func(name string) string {
		return cmp.Or(lookup("OTEL_EXPORTER_OTLP_TRACES_"+name), lookup("OTEL_EXPORTER_OTLP_"+name))
	}
	o := Options{Endpoint: endpoint, Protocol: Protocol(cmp.Or(one("PROTOCOL"), string(HTTP))), Timeout: defaultTimeout}
	if endpoint == "" {
		o.Exact = lookup("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
		o.Endpoint = one("ENDPOINT")
	}
	if strings.EqualFold(lookup("OTEL_SDK_DISABLED"), "true") || lookup("OTEL_TRACES_EXPORTER") == "none" {
		o.Endpoint = ""
	}
	if o.Endpoint == "" {
		return Options{}, nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Options{}, fmt.Errorf("invalid OTLP endpoint %q: expected the URL of a collector, for example http://127.0.0.1:4318", o.Endpoint)
	}
	if o.Protocol != HTTP && o.Protocol != GRPC {
		return Options{}, fmt.Errorf("invalid OTEL_EXPORTER_OTLP_PROTOCOL %q: expected %s or %s", o.Protocol, HTTP, GRPC)
	}
	if text := one("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return Options{}, fmt.Errorf("invalid OTEL_EXPORTER_OTLP_TIMEOUT %q: expected milliseconds, for example 10000", text)
		}
		o.Timeout = time.Duration(ms) * time.Millisecond
	}
	if o.Headers, err = pairs("OTEL_EXPORTER_OTLP_HEADERS", one("HEADERS")); err != nil {
		return Options{}, err
	}
	if o.Attributes, err = pairs("OTEL_RESOURCE_ATTRIBUTES", lookup("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return Options{}, err
	}
	o.Attributes["service.name"] = cmp.Or(lookup("OTEL_SERVICE_NAME"), o.Attributes["service.name"], "canisterd")
	o.Attributes["service.version"] = cmp.Or(o.Attributes["service.version"], version)
	return o, nil
}

// pairs reads key=value,key=value; values are percent-encoded (W3C Baggage).
func pairs(name, text string) (map[string]string, error) {
	all := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(key) == "" {
			return nil, fmt.Errorf("invalid %s: %q is not key=value", name, pair)
		}
		all[strings.TrimSpace(key)] = decoded
	}
	return all, nil
}
