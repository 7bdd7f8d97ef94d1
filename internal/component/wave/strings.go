package wave

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/component"
)

const longQuote = `"""`

// escapes are the characters that a backslash and a letter stand for.
var escapes = map[byte]rune{'\'': '\'', '"': '"', '\\': '\\', 't': '\t', 'n': '\n', 'r': '\r'}

func (s *scanner) char() any {
	if !s.take('\'') {
		s.faultf(s.at, "expected a character in single quotes, found %s", s.found())
	}
	at := s.at
	r, ok := s.character('\'')
	if !ok || s.at == len(s.text) || s.text[s.at] != '\'' {
		s.faultf(at, "expected one character between quotes")
	}
	s.at++
	return component.Char(r)
}

// str reads a string.
func (s *scanner) str() string {
	s.skip()
	if strings.HasPrefix(s.text[s.at:], longQuote) {
		return s.lines()
	}
	at := s.at
	if !s.take('"') {
		s.faultf(at, "expected a string in double quotes, found %s", s.found())
	}
	var all strings.Builder
	for {
		r, ok := s.character('"')
		if !ok {
			break
		}
		all.WriteRune(r)
	}
	if s.at == len(s.text) || s.text[s.at] != '"' {
		s.faultf(at, "the string does not end on its line")
	}
	s.at++
	return all.String()
}

// character reads a character up to a quote or the end of the line.
func (s *scanner) character(quote byte) (r rune, ok bool) {
	if s.at == len(s.text) || s.text[s.at] == quote || s.text[s.at] == '\n' {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	if r == utf8.RuneError && size == 1 {
		s.faultf(s.at, "the text is not UTF-8")
	}
	if r != '\\' {
		s.at += size
		return r, true
	}
	return s.escape(), true
}

func (s *scanner) escape() rune {
	at := s.at
	rest := s.text[at+1:]
	if rest == "" {
		s.faultf(at, "the text ends in an escape")
	}
	if r, ok := escapes[rest[0]]; ok {
		s.at += 2
		return r
	}
	digits, _, closed := strings.Cut(strings.TrimPrefix(rest, "u{"), "}")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !closed || !strings.HasPrefix(rest, "u{") || err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		s.faultf(at, `expected an escape: \' \" \\ \t \n \r or \u{…} with the number of a character`)
	}
	s.at += len(`\u{}`) + len(digits)
	return rune(n)
}

// lines reads a string of several lines, which are indented as far as its end is.
func (s *scanner) lines() string {
	at := s.at
	content, _, closed := strings.Cut(s.text[at+len(longQuote):], longQuote)
	if !closed {
		s.faultf(at, "the string has no end")
	}
	s.at += 2*len(longQuote) + len(content)
	first, body, ok := strings.Cut(content, "\n")
	last := strings.LastIndexByte(content, '\n')
	if !ok || strings.TrimSuffix(first, "\r") != "" || strings.Trim(content[last+1:], " ") != "" {
		s.faultf(at, "a string of several lines begins and ends with a line of quotes alone")
	}
	indent := content[last+1:]
	body = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(body, indent), "\n"), "\r")
	if len(first)+1 > last {
		return ""
	}
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, indent)
		if !ok {
			s.faultf(at, "line %d of the string is indented less than its end", i+1)
		}
		lines[i] = s.unescaped(strings.TrimSuffix(rest, "\r"), at)
	}
	return strings.Join(lines, "\n")
}

// unescaped gives a line with what its escapes stand for.
func (s *scanner) unescaped(line string, at int) string {
	inner := &scanner{text: line}
	var all strings.Builder
	defer func() {
		if fault, ok := recover().(*Fault); ok {
			s.faultf(at, "%s", fault.Reason)
		}
	}()
	for inner.at < len(line) {
		r, _ := inner.character('\n')
		all.WriteRune(r)
	}
	return all.String()
}
