package otlp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// sender sends one request to a collector.
type sender interface {
	// send gives how many spans the collector has refused. again says that an error may pass.
	send(ctx context.Context, request *collectorpb.ExportTraceServiceRequest) (refused int64, again bool, err error)
	close()
}

// newSender makes the sender of a protocol. It connects when something is to be sent.
func newSender(o *Options) (sender, error) {
	if o.Protocol != GRPC {
		at := o.Endpoint
		if !o.Exact {
			at = strings.TrimSuffix(at, "/") + "/v1/traces"
		}
		return &httpSender{url: at, headers: o.Headers, client: &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}}, nil
	}
	at, err := url.Parse(o.Endpoint)
	if err != nil {
		return nil, err
	}
	security := insecure.NewCredentials()
	if at.Scheme == "https" {
		security = credentials.NewTLS(nil)
	}
	connection, err := grpc.NewClient(at.Host, grpc.WithTransportCredentials(security))
	if err != nil {
		return nil, fmt.Errorf("the OTLP endpoint %s: %w", o.Endpoint, err)
	}
	return &grpcSender{connection: connection, headers: metadata.New(o.Headers)}, nil
}

type httpSender struct {
	url     string
	headers map[string]string
	client  *http.Client
}

func (s *httpSender) send(ctx context.Context, request *collectorpb.ExportTraceServiceRequest) (int64, bool, error) {
	body, err := proto.Marshal(request)
	if err != nil {
		return 0, false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, true, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return 0, true, err
	case answer.StatusCode/100 != 2:
		again := false
		switch answer.StatusCode {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			again = true
		}
		return 0, again, fmt.Errorf("the collector at %s answers %s", s.url, answer.Status)
	}
	var told collectorpb.ExportTraceServiceResponse
	if proto.Unmarshal(text, &told) != nil {
		return 0, false, nil // it took the spans, whatever it says of them
	}
	return told.GetPartialSuccess().GetRejectedSpans(), false, nil
}

func (s *httpSender) close() { s.client.CloseIdleConnections() }

type grpcSender struct {
	connection *grpc.ClientConn
	headers    metadata.MD
}

// exportMethod is the RPC of a collector that takes spans.
const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

func (s *grpcSender) send(ctx context.Context, request *collectorpb.ExportTraceServiceRequest) (int64, bool, error) {
	var told collectorpb.ExportTraceServiceResponse
	err := s.connection.Invoke(metadata.NewOutgoingContext(ctx, s.headers), exportMethod, request, &told)
	switch status.Code(err) {
	case codes.OK:
		return told.GetPartialSuccess().GetRejectedSpans(), false, nil
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss, codes.ResourceExhausted:
		return 0, true, err
	}
	return 0, false, err
}

func (s *grpcSender) close() { _ = s.connection.Close() }
