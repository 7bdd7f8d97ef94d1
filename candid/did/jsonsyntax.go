package did

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/canisterd/canisterd/candid"
)

// jsonReader reads JSON (RFC 8259) at types. err is the first error of syntax: nothing more is read after it, and what
// the callers then find does not count. fills is how many more absent fields may be filled in.
type jsonReader struct {
	jsontext.Decoder
	text         bytes.Buffer // the decoder takes all of it at once
	size         int
	err          error
	depth, fills int
}

// newJSONReader returns a reader that lets equal keys pass: only the type says which keys are the same field.
func newJSONReader(text []byte) *jsonReader {
	r := &jsonReader{text: *bytes.NewBuffer(text), size: len(text), fills: FillBase + FillPerByte*len(text)}
	r.Reset(&r.text, jsontext.AllowDuplicateNames(true))
	return r
}

// read returns the next value or key as it is written.
func (r *jsonReader) read() (raw jsontext.Value) {
	if r.err == nil {
		raw, r.err = r.ReadValue()
	}
	return raw
}

// bracket reads one of [ ] { }.
func (r *jsonReader) bracket() {
	if r.err == nil {
		_, r.err = r.ReadToken()
	}
}

// more reports whether a value or key is next. If not, it is the turn of bracket, which also finds an error of syntax.
func (r *jsonReader) more() bool {
	if r.err != nil {
		return false
	}
	kind := r.PeekKind()
	return kind != jsontext.KindInvalid && kind != jsontext.KindEndArray && kind != jsontext.KindEndObject
}

func (r *jsonReader) array(element func(i int) *jsonFault) *jsonFault {
	r.bracket()
	for i := 0; r.more(); i++ {
		if fault := element(i); fault != nil {
			return fault.at(i)
		}
	}
	r.bracket()
	return nil
}

// object calls the function at each value that follows a key. The function adds the key to its faults.
func (r *jsonReader) object(value func(key string) *jsonFault) *jsonFault {
	r.bracket()
	for r.more() && r.PeekKind() == jsontext.KindString {
		key := unquoted(r.read())
		if !r.more() {
			break
		}
		if fault := value(key); fault != nil {
			return fault
		}
	}
	r.bracket()
	return nil
}

// unquoted returns the text of a string, and every other value as it is written.
func unquoted(raw jsontext.Value) string {
	if raw.Kind() != jsontext.KindString {
		return string(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

// end reports what follows the value.
func (r *jsonReader) end() *jsonFault {
	if rest := bytes.TrimLeft(r.UnreadBuffer(), " \t\r\n"); len(rest) > 0 {
		c, _ := utf8.DecodeRune(rest)
		return faultAt(r.size-len(rest), "the end is expected, not "+strconv.QuoteRune(c))
	}
	return nil
}

// fail reports a fault at the next value.
func (r *jsonReader) fail(reason string) *jsonFault {
	return faultAt(r.size-len(bytes.TrimLeft(r.UnreadBuffer(), " \t\r\n,:")), reason)
}

func faultAt(offset int, reason string) *jsonFault {
	return &jsonFault{reason: "at byte " + strconv.Itoa(offset) + ": " + reason}
}

func tooDeep() *jsonFault {
	return &jsonFault{limit: true, reason: "values nest deeper than " + strconv.Itoa(candid.MaxDepth) + " levels"}
}

// malformed reports the error of syntax, if there was one. The decoder nests the list of arguments and its values at
// most decoderDepth deep. Its error for more has no name to compare with.
func (r *jsonReader) malformed() *jsonFault {
	const decoderDepth = 10_000
	if r.err == nil {
		return nil
	}
	e, ok := errors.AsType[*jsontext.SyntacticError](r.err)
	switch {
	case !ok:
		return faultAt(r.size, "an array of arguments is expected, the text ends")
	case strings.Count(string(e.JSONPointer), "/") >= decoderDepth:
		return tooDeep()
	}
	reason := e.Err.Error()
	if e.Err == io.ErrUnexpectedEOF {
		reason = "the text ends within a value"
	}
	fault := faultAt(int(e.ByteOffset), reason)
	for p := e.JSONPointer; p != ""; p = p.Parent() {
		if token := p.LastToken(); decimal(token) {
			fault.in("[" + cut(token) + "]")
		} else {
			fault.under(token)
		}
	}
	return fault
}
