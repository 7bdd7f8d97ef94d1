package verify

import (
	"strings"
	"testing"
)

func TestAnExpressionIsReadWithWhiteSpaceAndEscapes(t *testing.T) {
	spaced := strings.NewReplacer("{", " {\n", "}", " }\t", ":", " : ", ",", " , ", "[", "[ ").Replace(full)
	e, err := parseExpression(strings.Replace(spaced, `"Date" ]`, `"Da\"te\\", "B", ]`, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.request.headers) != 1 || e.request.headers[0] != "Accept" || e.request.parameters[0] != "q" || !e.exclude {
		t.Errorf("read as %+v %+v", e, e.request)
	}
}

func TestAMalformedExpressionIsRefused(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "expected a value"},
		{"default_certification", "expected ( or {"},
		{`"text"`, "expected default_certification"},
		{"default_certification()", "expected default_certification"},
		{"default_certification(Other{})", "expected ValidationArgs"},
		{"default_certification(ValidationArgs{})", "one of no_certification and certification"},
		{"default_certification(ValidationArgs{no_certification:Empty{},certification:Certification{}})", "one of no_certification and certification"},
		{"default_certification(ValidationArgs{certification:Other{}})", "expected Certification"},
		{"default_certification(ValidationArgs{certification:Certification{}})", "one of no_request_certification and request_certification"},
		{"default_certification(ValidationArgs{certification:Certification{no_request_certification:Empty{}}})", "expected ResponseCertification"},
		{"default_certification(ValidationArgs{certification:Certification{no_request_certification:Empty{},response_certification:ResponseCertification{}}})", "one of certified_response_headers"},
		{"default_certification(ValidationArgs{certification:Certification{request_certification:RequestCertification{}}})", "certified_request_headers"},
		{nothing + "x", "follows its end"},
		{`default_certification("open`, "does not end"},
		{`default_certification("open\`, "does not end"},
		{`a{b:c{},b:c{}}`, "a new field"},
		{`a(b{} c{})`, "expected , or )"},
		{`a{b:c{} d:c{}}`, "expected , or }"},
		{strings.Repeat("[", 40), "nests deeper than 16"},
		{strings.Repeat(" ", maxExpression+1), "has 16385 bytes"},
	} {
		if _, err := parseExpression(row.text); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.60q: %v, want %q", row.text, err, row.want)
		}
	}
}
