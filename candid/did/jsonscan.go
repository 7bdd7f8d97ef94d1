package did

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid"
)

// jsonScanner reads the grammar of JSON (RFC 8259). It is stricter than encoding/json, which replaces invalid UTF-8 and
// halves of surrogate pairs: the text would differ from what was written.
type jsonScanner struct {
	in    []byte
	pos   int
	depth int
}

func (s *jsonScanner) fail(reason string) *jsonFault {
	return &jsonFault{reason: "at byte " + strconv.Itoa(s.pos) + ": " + reason}
}

// next skips white space and returns the byte after it, 0 at the end.
func (s *jsonScanner) next() byte {
	for s.pos < len(s.in) {
		switch c := s.in[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// unexpected reports the current character and what was expected.
func (s *jsonScanner) unexpected(what string) *jsonFault {
	if s.next(); s.pos == len(s.in) {
		return s.fail(what + " is expected, the text ends")
	}
	r, _ := utf8.DecodeRune(s.in[s.pos:])
	return s.fail(what + " is expected, not " + strconv.QuoteRune(r))
}

func (s *jsonScanner) expect(c byte) *jsonFault {
	if s.next() != c || s.pos == len(s.in) {
		return s.unexpected(strconv.QuoteRune(rune(c)))
	}
	s.pos++
	return nil
}

// accept skips the byte if it is next.
func (s *jsonScanner) accept(c byte) bool {
	if s.next() != c || s.pos == len(s.in) {
		return false
	}
	s.pos++
	return true
}

// word skips the word if it is next.
func (s *jsonScanner) word(w string) bool {
	s.next()
	if end := s.pos + len(w); end <= len(s.in) && string(s.in[s.pos:end]) == w {
		s.pos = end
		return true
	}
	return false
}

func (s *jsonScanner) enter() *jsonFault {
	if s.depth++; s.depth > candid.MaxDepth {
		return &jsonFault{limit: true, reason: "values nest deeper than " + strconv.Itoa(candid.MaxDepth) + " levels"}
	}
	return nil
}

func (s *jsonScanner) leave() { s.depth-- }

// array reads "[", then an element each time, then "]".
func (s *jsonScanner) array(element func(i int) *jsonFault) *jsonFault {
	if fault := s.expect('['); fault != nil {
		return fault
	}
	if s.accept(']') {
		return nil
	}
	for i := 0; ; i++ {
		if fault := element(i); fault != nil {
			return fault.at(i)
		}
		if s.accept(']') {
			return nil
		}
		if !s.accept(',') {
			return s.unexpected("',' or ']'")
		}
	}
}

// object reads "{", then a value for each key, then "}". The function value adds the key to its faults.
func (s *jsonScanner) object(value func(key string) *jsonFault) *jsonFault {
	if fault := s.expect('{'); fault != nil {
		return fault
	}
	if s.accept('}') {
		return nil
	}
	for {
		if s.next() != '"' {
			return s.unexpected("a key in quotes")
		}
		key, fault := s.text()
		if fault != nil {
			return fault
		}
		if fault := s.expect(':'); fault != nil {
			return fault.under(key)
		}
		if fault := value(key); fault != nil {
			return fault
		}
		if s.accept('}') {
			return nil
		}
		if !s.accept(',') {
			return s.unexpected("',' or '}'")
		}
	}
}

// number reads a number and returns its text.
func (s *jsonScanner) number() (string, *jsonFault) {
	s.next()
	start := s.pos
	if s.pos < len(s.in) && s.in[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.in) && s.in[s.pos] == '0' {
		s.pos++
	} else if !s.digits() {
		return "", s.unexpected("a value")
	}
	if s.pos < len(s.in) && s.in[s.pos] == '.' {
		if s.pos++; !s.digits() {
			return "", s.unexpected("a digit")
		}
	}
	if s.pos < len(s.in) && s.in[s.pos]|0x20 == 'e' {
		if s.pos++; s.pos < len(s.in) && (s.in[s.pos] == '+' || s.in[s.pos] == '-') {
			s.pos++
		}
		if !s.digits() {
			return "", s.unexpected("a digit")
		}
	}
	return string(s.in[start:s.pos]), nil
}

func (s *jsonScanner) digits() bool {
	start := s.pos
	for s.pos < len(s.in) && s.in[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

// text reads a string; its opening quote is next.
func (s *jsonScanner) text() (string, *jsonFault) {
	s.pos++
	start := s.pos
	var unescaped []byte
	for s.pos < len(s.in) {
		switch c := s.in[s.pos]; {
		case c == '"':
			plain := s.in[start:s.pos]
			if !utf8.Valid(plain) {
				return "", s.fail("the string that ends here is not UTF-8")
			}
			s.pos++
			if unescaped == nil {
				return string(plain), nil
			}
			return string(append(unescaped, plain...)), nil
		case c == '\\':
			if unescaped = append(unescaped, s.in[start:s.pos]...); !utf8.Valid(unescaped) {
				return "", s.fail("the string before this is not UTF-8")
			}
			var fault *jsonFault
			if unescaped, fault = s.escape(unescaped); fault != nil {
				return "", fault
			}
			start = s.pos
		case c < ' ':
			return "", s.fail("a control character in a string is written as an escape sequence")
		default:
			s.pos++
		}
	}
	return "", s.fail("the text ends within a string")
}

// escape appends the character of the current escape sequence.
func (s *jsonScanner) escape(b []byte) ([]byte, *jsonFault) {
	s.pos++
	if s.pos == len(s.in) {
		return nil, s.fail("the text ends within a string")
	}
	const names, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := s.in[s.pos]
	for i := range len(names) {
		if c == names[i] {
			s.pos++
			return append(b, meant[i]), nil
		}
	}
	r, ok := s.unit()
	if !ok {
		return nil, s.fail(`the escape sequence is none of \" \\ \/ \b \f \n \r \t \uXXXX`)
	}
	if utf16.IsSurrogate(r) {
		var second rune
		if s.pos < len(s.in) && s.in[s.pos] == '\\' {
			s.pos++
			second, _ = s.unit()
		}
		if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
			return nil, s.fail("half of a surrogate pair is not a character")
		}
	}
	return utf8.AppendRune(b, r), nil
}

// unit reads uXXXX.
func (s *jsonScanner) unit() (rune, bool) {
	if s.pos+5 > len(s.in) || s.in[s.pos] != 'u' {
		return 0, false
	}
	n := rune(0)
	for _, c := range s.in[s.pos+1 : s.pos+5] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		n = n<<4 | rune(d)
	}
	s.pos += 5
	return n, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// skip reads any value.
func (s *jsonScanner) skip() *jsonFault {
	if fault := s.enter(); fault != nil {
		return fault
	}
	defer s.leave()
	switch s.next() {
	case '[':
		return s.array(func(int) *jsonFault { return s.skip() })
	case '{':
		return s.object(func(key string) *jsonFault {
			if fault := s.skip(); fault != nil {
				return fault.under(key)
			}
			return nil
		})
	case '"':
		_, fault := s.text()
		return fault
	case 't', 'f', 'n':
		if s.word("true") || s.word("false") || s.word("null") {
			return nil
		}
		return s.unexpected("a value")
	}
	_, fault := s.number()
	return fault
}
