package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// TokenKind is the class of a token.
type TokenKind uint8

// The classes of tokens. A Punct is one of = ( ) { } ; , . : ! + - and ->.
const (
	EOF TokenKind = iota
	Ident
	Text
	Int
	Float
	Punct
)

// Token is one token. Text is the identifier, the bytes of the text with
// escapes resolved (not always UTF-8), the number without underscores, or the
// punctuation.
type Token struct {
	Kind TokenKind
	Text string
	Pos  int // byte offset
}

func (t Token) String() string {
	switch t.Kind {
	case EOF:
		return "the end"
	case Text:
		return "the text " + Quote(clip(t.Text))
	}
	return "“" + clip(t.Text) + "”"
}

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Error is a fault in a text. Line and Column count from 1, columns in bytes.
type Error struct {
	Line, Column int
	Reason       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Lexer splits a text into tokens.
type Lexer struct {
	src string
	pos int
}

// NewLexer returns a lexer at the start of src, which must be UTF-8 of at most most bytes.
func NewLexer(src string, most int) (*Lexer, error) {
	if len(src) > most {
		return nil, fmt.Errorf("the text has %d bytes, at most %d are read", len(src), most)
	}
	if !utf8.ValidString(src) {
		return nil, fmt.Errorf("the text is not valid UTF-8")
	}
	return &Lexer{src: src}, nil
}

// Fail returns an error at a byte offset.
func (l *Lexer) Fail(pos int, format string, args ...any) error {
	before := l.src[:min(pos, len(l.src))]
	return &Error{
		Line:   1 + strings.Count(before, "\n"),
		Column: len(before) - strings.LastIndexByte(before, '\n'),
		Reason: fmt.Sprintf(format, args...),
	}
}

// Next returns the next token, and EOF at the end, repeatedly.
func (l *Lexer) Next() (Token, error) {
	if err := l.space(); err != nil {
		return Token{}, err
	}
	start := l.pos
	if start == len(l.src) {
		return Token{Kind: EOF, Pos: start}, nil
	}
	c := l.src[start]
	switch {
	case letter(c):
		for l.pos < len(l.src) && (letter(l.src[l.pos]) || digit(l.src[l.pos])) {
			l.pos++
		}
		return Token{Ident, l.src[start:l.pos], start}, nil
	case digit(c):
		return l.number()
	case c == '"':
		return l.text()
	case strings.HasPrefix(l.src[start:], "->"):
		l.pos += 2
		return Token{Punct, "->", start}, nil
	case strings.IndexByte("=(){};,.:!+-", c) >= 0:
		l.pos++
		return Token{Punct, l.src[start:l.pos], start}, nil
	}
	r, _ := utf8.DecodeRuneInString(l.src[start:])
	return Token{}, l.Fail(start, "the character %q has no meaning here", r)
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func hexDigit(c byte) bool {
	return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// space skips white space and comments; block comments nest.
func (l *Lexer) space() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.pos += end
		case strings.HasPrefix(rest, "/*"):
			if err := l.block(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *Lexer) block() error {
	start, open := l.pos, 0
	for l.pos < len(l.src) {
		switch rest := l.src[l.pos:]; {
		case strings.HasPrefix(rest, "/*"):
			open++
			l.pos += 2
		case strings.HasPrefix(rest, "*/"):
			open--
			l.pos += 2
			if open == 0 {
				return nil
			}
		default:
			l.pos++
		}
	}
	return l.Fail(start, "the comment is not closed with */")
}

// digits skips digits with single underscores between them.
func (l *Lexer) digits(is func(byte) bool) bool {
	start := l.pos
	for l.pos < len(l.src) && (is(l.src[l.pos]) || l.src[l.pos] == '_' && l.pos > start) {
		l.pos++
	}
	return l.pos > start
}

func (l *Lexer) peek() byte {
	if l.pos < len(l.src) {
		return l.src[l.pos]
	}
	return 0
}

// number reads 42, 0x2a, 4.2e1 or 0x1.8p3; a sign is a separate token.
func (l *Lexer) number() (Token, error) {
	start, is, exponent := l.pos, digit, byte('e')
	hex := len(l.src) > start+1 && l.src[start] == '0' && l.src[start+1]|0x20 == 'x'
	if hex {
		l.pos += 2
		is, exponent = hexDigit, 'p'
	}
	if !l.digits(is) {
		return Token{}, l.Fail(start, "0x is followed by hexadecimal digits")
	}
	kind := Int
	if l.peek() == '.' {
		kind = Float
		l.pos++
		l.digits(is)
	}
	if l.peek()|0x20 == exponent {
		kind = Float
		l.pos++
		if c := l.peek(); c == '+' || c == '-' {
			l.pos++
		}
		if !l.digits(digit) {
			return Token{}, l.Fail(start, "the exponent has no digits")
		}
	}
	if letter(l.peek()) || digit(l.peek()) {
		return Token{}, l.Fail(start, "a number runs into a name")
	}
	clean := strings.ReplaceAll(l.src[start:l.pos], "_", "")
	if hex && kind == Float && !strings.ContainsAny(clean, "pP") {
		clean += "p0"
	}
	return Token{kind, clean, start}, nil
}
