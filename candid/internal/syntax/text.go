package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text reads a quoted text and resolves its escapes.
func (l *Lexer) text() (Token, error) {
	start := l.pos
	l.pos++
	end := strings.IndexAny(l.src[l.pos:], `"\`)
	if end >= 0 && l.src[l.pos+end] == '"' {
		plain := l.src[l.pos : l.pos+end]
		l.pos += end + 1
		return Token{Text, plain, start}, nil
	}
	var b []byte
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; c {
		case '"':
			l.pos++
			return Token{Text, string(b), start}, nil
		case '\\':
			var err error
			if b, err = l.escape(b); err != nil {
				return Token{}, err
			}
		default:
			b = append(b, c)
			l.pos++
		}
	}
	return Token{}, l.Fail(start, "the text is not closed with a quote")
}

// escape appends the character of the current escape sequence.
func (l *Lexer) escape(b []byte) ([]byte, error) {
	start := l.pos
	rest := l.src[start+1:]
	if rest == "" {
		return nil, l.Fail(start, "the text ends within an escape sequence")
	}
	if i := strings.IndexByte(`nrt\"'`, rest[0]); i >= 0 {
		l.pos += 2
		return append(b, "\n\r\t\\\"'"[i]), nil
	}
	if len(rest) >= 2 && hexDigit(rest[0]) && hexDigit(rest[1]) {
		n, _ := strconv.ParseUint(rest[:2], 16, 8)
		l.pos += 3
		return append(b, byte(n)), nil
	}
	if strings.HasPrefix(rest, "u{") {
		return l.codepoint(b, rest[2:])
	}
	return nil, l.Fail(start, `the escape sequence is none of \n \r \t \\ \" \' \hh \u{…}`)
}

func (l *Lexer) codepoint(b []byte, rest string) ([]byte, error) {
	const longest = 64
	end := strings.IndexByte(rest[:min(len(rest), longest)], '}')
	if end < 0 {
		return nil, l.Fail(l.pos, `\u{ is not closed with }`)
	}
	hex := rest[:end]
	if strings.HasPrefix(hex, "_") {
		return nil, l.Fail(l.pos, `\u{…} starts with a hexadecimal digit`)
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(hex, "_", ""), 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) || n > utf8.MaxRune {
		return nil, l.Fail(l.pos, `\u{%s} is not a Unicode scalar value`, hex)
	}
	l.pos += len(`\u{}`) + end
	return utf8.AppendRune(b, rune(n)), nil
}

// keywords cannot be names without quotes.
var keywords = map[string]bool{
	"null": true, "opt": true, "vec": true, "record": true, "variant": true,
	"func": true, "service": true, "oneway": true, "query": true,
	"composite_query": true, "blob": true, "type": true, "import": true,
	"principal": true, "true": true, "false": true,
}

// primitiveNames are type names that are not keywords. They can be field names without quotes; quotes make no
// difference.
var primitiveNames = map[string]bool{
	"bool": true, "nat": true, "int": true, "nat8": true, "nat16": true,
	"nat32": true, "nat64": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "float32": true, "float64": true, "text": true,
	"reserved": true, "empty": true,
}

// Keyword reports whether an identifier is a keyword.
func Keyword(id string) bool { return keywords[id] }

// Primitive reports whether an identifier is the name of a primitive type.
func Primitive(id string) bool {
	return primitiveNames[id] || id == "null" || id == "principal"
}

// Name formats a name for both textual forms: in quotes if it is not an identifier or is a word of the grammar.
func Name(name string) string {
	plain := name != "" && letter(name[0]) && !keywords[name]
	for i := 0; plain && i < len(name); i++ {
		plain = letter(name[i]) || digit(name[i])
	}
	if plain {
		return name
	}
	return Quote(name)
}

// Quote returns a text in quotes, escaped so that it reads back the same.
func Quote(s string) string { return string(AppendQuote(make([]byte, 0, len(s)+2), s)) }

// AppendQuote appends s in quotes. Bytes that are not UTF-8 become \hh.
func AppendQuote(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch at := strings.IndexByte("\n\r\t\\\"", s[i]); {
		case at >= 0:
			b = append(b, '\\', `nrt\"`[at])
		case r == utf8.RuneError && size == 1:
			b = appendHex(b, s[i])
		case r < 0x20 || r >= 0x7f && (r < 0xa0 || unseen(r)):
			b = append(b, `\u{`...)
			b = strconv.AppendUint(b, uint64(r), 16)
			b = append(b, '}')
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}

// unseen reports whether a character beyond ASCII moves or reorders what is around it without being seen itself: line and
// paragraph separators, and characters of format, such as bidirectional controls and those without a width.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// AppendBlob appends the bytes in quotes, printable ASCII unchanged and everything else as \hh.
func AppendBlob(b, blob []byte) []byte {
	b = append(b, '"')
	for _, c := range blob {
		if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			b = appendHex(b, c)
		} else {
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func appendHex(b []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', digits[c>>4], digits[c&15])
}
