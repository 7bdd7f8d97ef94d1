package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/canisterd/canisterd/docs"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// referenceInput is what reference takes.
type referenceInput struct {
	Topic   string `json:"topic,omitempty" jsonschema:"a page such as explore; default: the list of pages"`
	Section string `json:"section,omitempty" jsonschema:"a heading of the page, or a word of it"`
	detailed
}

// reference returns a page, a section of it, or the list of pages.
func (s *Server) reference(_ context.Context, in referenceInput) (string, error) {
	if in.Topic == "" {
		var text strings.Builder
		for _, topic := range docs.Topics() {
			fmt.Fprintf(&text, "%s: %s\n", topic, docs.Title(topic))
		}
		return text.String(), nil
	}
	page, err := docs.Page(in.Topic)
	if err != nil {
		return "", err
	}
	sections := docs.Sections(page)
	if in.Section == "" {
		var text strings.Builder
		text.WriteString("sections:")
		for _, one := range sections {
			text.WriteString(" " + one.Heading + ";")
		}
		return strings.TrimSuffix(text.String(), ";") + "\n\n" + page, nil
	}
	for _, one := range sections {
		if strings.Contains(strings.ToLower(one.Heading), strings.ToLower(in.Section)) {
			return one.Text, nil
		}
	}
	for _, one := range sections {
		if strings.Contains(strings.ToLower(one.Text), strings.ToLower(in.Section)) {
			return one.Text, nil
		}
	}
	return "", fmt.Errorf("no section of %s has %q: leave section out for the list", in.Topic, in.Section)
}

// Schemes of resources.
const (
	pageURI     = "docs://"
	traceURI    = "trace://"
	scheduleURI = "schedule://"
)

// addResources adds the pages of the book, traces of requests, and schedules of findings.
func (s *Server) addResources(protocol *sdk.Server) {
	for _, topic := range docs.Topics() {
		protocol.AddResource(&sdk.Resource{URI: pageURI + topic, Name: topic, Title: docs.Title(topic), MIMEType: "text/markdown"}, read("text/markdown", func(_ context.Context, uri string) (string, error) {
			return docs.Page(strings.TrimPrefix(uri, pageURI))
		}))
	}
	protocol.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: traceURI + "{instance}/{request}", Name: "trace", Title: "The call tree of a request, by its id or the begin of it"}, read("text/plain", func(ctx context.Context, uri string) (string, error) {
		instance, request, _ := strings.Cut(strings.TrimPrefix(uri, traceURI), "/")
		return s.trace(ctx, s.namesOf(instance), &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: request}}, true)
	}))
	protocol.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: scheduleURI + "{+path}", Name: "schedule", Title: "The schedule of a finding, by the path that explore answered with"}, read("application/yaml", func(_ context.Context, uri string) (string, error) {
		found, err := s.finding(strings.TrimPrefix(uri, scheduleURI))
		if err != nil {
			return "", err
		}
		return found.schedule, nil
	}))
}

// read makes the handler of a resource with a text.
func read(kind string, text func(ctx context.Context, uri string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, in *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		content, err := text(ctx, in.Params.URI)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", in.Params.URI, explained(err))
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: in.Params.URI, MIMEType: kind, Text: content}}}, nil
	}
}
