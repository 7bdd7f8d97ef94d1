package verify

import (
	"errors"
	"fmt"
	"strings"
)

// expression says which parts of a request and a response are certified (HTTP gateway protocol specification, "The
// Certificate Expression Header").
type expression struct {
	none    bool // nothing is certified
	request *requestTerms
	// Exactly one of these selects the certified headers of the response.
	certified []string
	excluded  []string
	exclude   bool // use excluded
}

// requestTerms say which parts of a request are certified.
type requestTerms struct {
	headers, parameters []string
}

// parseExpression reads the header IC-CertificateExpression.
func parseExpression(text string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("the expression has %d bytes; at most %d are read", len(text), maxExpression)
	}
	p := &expressionParser{rest: text}
	root, err := p.value(0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("%.40q follows its end", p.rest)
	}
	if err != nil {
		return nil, fmt.Errorf("the header %s: %w", expressionHeader, err)
	}
	e, err := readExpression(root)
	if err != nil {
		return nil, fmt.Errorf("the header %s: %w", expressionHeader, err)
	}
	return e, nil
}

// readExpression interprets a parsed expression.
func readExpression(root *term) (*expression, error) {
	if root.kind != termCall || root.name != "default_certification" || len(root.items) != 1 {
		return nil, errors.New("expected default_certification(ValidationArgs{...})")
	}
	arguments, err := root.items[0].object("ValidationArgs")
	if err != nil {
		return nil, err
	}
	no, some := arguments["no_certification"], arguments["certification"]
	if (no == nil) == (some == nil) {
		return nil, errors.New("expected one of no_certification and certification")
	}
	if no != nil {
		return &expression{none: true}, nil
	}
	fields, err := some.object("Certification")
	if err != nil {
		return nil, err
	}
	e := new(expression)
	if err := e.readRequest(fields); err != nil {
		return nil, err
	}
	return e, e.readResponse(fields["response_certification"])
}

func (e *expression) readRequest(fields map[string]*term) error {
	no, some := fields["no_request_certification"], fields["request_certification"]
	if (no == nil) == (some == nil) {
		return errors.New("expected one of no_request_certification and request_certification")
	}
	if no != nil {
		return nil
	}
	inside, err := some.object("RequestCertification")
	if err != nil {
		return err
	}
	e.request = new(requestTerms)
	if e.request.headers, err = inside["certified_request_headers"].texts("certified_request_headers"); err != nil {
		return err
	}
	e.request.parameters, err = inside["certified_query_parameters"].texts("certified_query_parameters")
	return err
}

func (e *expression) readResponse(response *term) error {
	inside, err := response.object("ResponseCertification")
	if err != nil {
		return err
	}
	some, exclusions := inside["certified_response_headers"], inside["response_header_exclusions"]
	if (some == nil) == (exclusions == nil) {
		return errors.New("expected one of certified_response_headers and response_header_exclusions")
	}
	if e.exclude = exclusions != nil; e.exclude {
		some = exclusions
	}
	list, err := some.object("ResponseHeaderList")
	if err != nil {
		return err
	}
	names, err := list["headers"].texts("headers")
	if e.exclude {
		e.excluded = names
	} else {
		e.certified = names
	}
	return err
}

// certifies reports whether a header of the response is certified.
func (e *expression) certifies(name string) bool {
	if strings.EqualFold(name, expressionHeader) {
		return true
	}
	if e.exclude {
		return !containsFold(e.excluded, name)
	}
	return containsFold(e.certified, name)
}

func containsFold(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}
