package wat

import (
	"strings"
	"unicode/utf8"
)

// Kind is the lexical class of a Token.
type Kind uint8

const (
	End        Kind = iota // after the last token
	Open                   // (
	Close                  // )
	Atom                   // keyword, number, or a run of characters that is neither
	Name                   // $name or $"name"
	Quoted                 // "string"
	Annotation             // (@custom, the one annotation that is not skipped
)

// Token is text[Start:Stop] of the scanned text.
type Token struct {
	Kind        Kind
	Start, Stop int
}

// Scan splits a text into tokens; the last one has kind End. Comments and
// annotations other than @custom are dropped. An error is an *Error.
func Scan(text string) (tokens []Token, err error) {
	defer catch(text, Position{}, &err)
	return scan(text), nil
}

type scanner struct {
	text   string
	at     int
	tokens []Token
	inside bool // an annotation, where no annotation id is asked for
}

func scan(text string) []Token {
	if !utf8.ValidString(text) {
		for i, r := range text {
			if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
				fail(i, "malformed UTF-8 encoding")
			}
		}
	}
	s := scanner{text: text, tokens: make([]Token, 0, len(text)/4+2)}
	for s.step() {
	}
	s.emit(End, s.at)
	return s.tokens
}

func (s *scanner) emit(kind Kind, start int) {
	s.tokens = append(s.tokens, Token{kind, start, s.at})
}

func (s *scanner) peek(ahead int) byte {
	if s.at+ahead < len(s.text) {
		return s.text[s.at+ahead]
	}
	return 0
}

// step reads one token, comment or space; false at the end of the text.
func (s *scanner) step() bool {
	if s.at >= len(s.text) {
		return false
	}
	start := s.at
	switch c := s.text[s.at]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.at++
	case c == '(':
		s.open()
	case c == ')':
		s.at++
		s.emit(Close, start)
	case c == ';' && s.peek(1) == ';':
		s.lineComment()
	default:
		s.word()
	}
	return true
}

func (s *scanner) open() {
	start := s.at
	switch next := s.peek(1); {
	case next == ';':
		s.blockComment()
	case next == '@' && !s.inside:
		s.at += 2
		s.annotation(start)
	default:
		s.at++
		s.emit(Open, start)
	}
}

func (s *scanner) lineComment() {
	for s.at < len(s.text) && s.text[s.at] != '\n' && s.text[s.at] != '\r' {
		s.at++
	}
}

func (s *scanner) blockComment() {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch {
		case s.text[s.at] == '(' && s.peek(1) == ';':
			depth++
			s.at += 2
		case s.text[s.at] == ';' && s.peek(1) == ')':
			depth--
			s.at += 2
			if depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
	fail(start, "unclosed comment")
}

// annotation reads from the annotation's name on: @custom becomes a token, any
// other is skipped up to its closing parenthesis.
func (s *scanner) annotation(start int) {
	from := s.at
	if c := s.peek(0); c == '"' || isNameByte(c) {
		for c == '"' || isNameByte(c) {
			s.character(c)
			c = s.peek(0)
		}
	}
	name := s.text[from:s.at]
	if name == "" || name == `""` {
		fail(start, "empty annotation id")
	}
	if name[0] == '"' && !utf8.ValidString(unquote(name)) {
		fail(start, "malformed UTF-8 encoding in the annotation id")
	}
	if name == "custom" || name == `"custom"` {
		s.emit(Annotation, start)
		return
	}
	s.inside = true
	s.skipAnnotation(start)
	s.inside = false
}

func (s *scanner) skipAnnotation(start int) {
	mark := len(s.tokens)
	for depth := 1; depth > 0; {
		n := len(s.tokens)
		if !s.step() {
			fail(start, "unclosed annotation")
		}
		if len(s.tokens) > n && s.tokens[n].Kind == Open {
			depth++
		} else if len(s.tokens) > n && s.tokens[n].Kind == Close {
			depth--
		}
	}
	s.tokens = s.tokens[:mark]
}

// word reads the longest run of characters and strings and classifies it.
func (s *scanner) word() {
	start, quotes := s.at, 0
	for s.at < len(s.text) {
		c := s.text[s.at]
		if !isNameByte(c) && !isReservedByte(c) || c == ';' && s.peek(1) == ';' && s.at > start {
			break
		}
		if c == '"' {
			quotes++
		}
		s.character(c)
	}
	switch word := s.text[start:s.at]; {
	case word == "":
		fail(start, "illegal character %q", s.text[start:start+runeLength(s.text[start:])])
	case word[0] == '"' && quotes == 1 && word[len(word)-1] == '"':
		s.emit(Quoted, start)
	case word[0] == '$' && quotes == 0 && len(word) > 1 && isNameRun(word):
		s.emit(Name, start)
	case strings.HasPrefix(word, `$"`) && quotes == 1 && word[len(word)-1] == '"':
		s.quotedName(start, word)
	default:
		s.emit(Atom, start)
	}
}

func (s *scanner) quotedName(start int, word string) {
	name := unquote(word[1:])
	if name == "" {
		fail(start, "empty identifier")
	}
	if !utf8.ValidString(name) {
		fail(start, "malformed UTF-8 encoding in the identifier")
	}
	s.emit(Name, start)
}

func (s *scanner) character(c byte) {
	if c == '"' {
		s.quoted()
	} else {
		s.at++
	}
}

// quoted reads one string and checks its characters and escapes.
func (s *scanner) quoted() {
	start := s.at
	for s.at++; s.at < len(s.text); {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return
		case c == '\\':
			n := escapeLength(s.text[s.at:])
			if n == 0 {
				fail(s.at, "malformed escape in string")
			}
			s.at += n
		case c == '\n':
			fail(start, "unclosed string")
		case c < 0x20 || c == 0x7f:
			fail(s.at, "illegal character %q in string: write it as an escape", c)
		default:
			s.at++
		}
	}
	fail(start, "unclosed string")
}

func runeLength(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

func isNameByte(c byte) bool {
	switch c {
	case '"', '(', ')', ',', ';', '[', ']', '{', '}':
		return false
	}
	return c > 0x20 && c < 0x7f
}

func isReservedByte(c byte) bool {
	switch c {
	case '"', ',', ';', '[', ']', '{', '}':
		return true
	}
	return false
}

func isNameRun(word string) bool {
	for i := range len(word) {
		if !isNameByte(word[i]) {
			return false
		}
	}
	return true
}
