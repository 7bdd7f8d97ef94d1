package verify

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/internal/certify"
)

// The headers that certify a response.
const (
	certificateHeader = "IC-Certificate"
	expressionHeader  = "IC-CertificateExpression"
)

// Header is one header of a request or a response, in the form of canisters.
type Header struct {
	Name  string `ic:"0,tuple"`
	Value string `ic:"1,tuple"`
}

// find returns the value of a header that occurs at most once; ok is false if it does not occur.
func find(headers []Header, name string) (value string, ok bool, err error) {
	for _, h := range headers {
		if !strings.EqualFold(h.Name, name) {
			continue
		}
		if ok {
			return "", false, fmt.Errorf("the response has more than one header %s", name)
		}
		value, ok = h.Value, true
	}
	return value, ok, nil
}

// proof is the header IC-Certificate.
type proof struct {
	certificate []byte // encoded
	tree        *certify.HashTree
	version     int
	path        []string // nil if there is none
}

// parseProof reads the header IC-Certificate: name=:BASE64:, ... (HTTP gateway protocol specification, "The Certificate
// Header"). It ignores unknown fields, and uses the first of a repeated field.
func parseProof(header string) (*proof, error) {
	p := &proof{version: 1}
	seen := map[string]bool{}
	for field := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(field), "=")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		if err := p.field(name, strings.TrimSuffix(strings.TrimPrefix(value, ":"), ":")); err != nil {
			return nil, fmt.Errorf("the field %q of the header %s: %w", name, certificateHeader, err)
		}
	}
	if p.certificate == nil || p.tree == nil {
		return nil, fmt.Errorf("the header %s needs both a certificate and a tree", certificateHeader)
	}
	return p, nil
}

// field reads one field.
func (p *proof) field(name, value string) error {
	if name == "version" {
		version, err := strconv.ParseUint(value, 10, 8)
		if err != nil {
			return fmt.Errorf("invalid version %q: expected 1 or 2", value)
		}
		p.version = int(version)
		return nil
	}
	if name != "certificate" && name != "tree" && name != "expr_path" {
		return nil
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return err
	}
	switch name {
	case "certificate":
		p.certificate = raw
	case "tree":
		p.tree, err = certify.DecodeHashTree(bytes.TrimPrefix(raw, []byte(selfDescribed)))
	default:
		p.path, err = decodePath(raw)
	}
	return err
}

// selfDescribed is the CBOR tag 55799.
const selfDescribed = "\xd9\xd9\xf7"

// pathReader reads an expression path.
var pathReader = must(cbor.DecOptions{MaxArrayElements: maxSegments, MaxNestedLevels: 4, IndefLength: cbor.IndefLengthForbidden}.DecMode())

func must(mode cbor.DecMode, err error) cbor.DecMode {
	if err != nil {
		panic("verify: bug: options of the CBOR reader: " + err.Error())
	}
	return mode
}

// decodePath reads an array of texts.
func decodePath(raw []byte) (path []string, err error) {
	if err := pathReader.Unmarshal(bytes.TrimPrefix(raw, []byte(selfDescribed)), &path); err != nil {
		return nil, err
	}
	if path == nil {
		return nil, errors.New("it is not an array of texts")
	}
	return path, nil
}
