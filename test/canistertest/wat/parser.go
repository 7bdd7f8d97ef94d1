package wat

import (
	"errors"
	"unicode/utf8"
)

// parser is a cursor over tokens.
type parser struct {
	text   string
	tokens []Token
	at     int
}

func (p *parser) token() Token { return p.tokens[p.at] }
func (p *parser) kind() Kind   { return p.tokens[p.at].Kind }

func (p *parser) word() string {
	t := p.tokens[p.at]
	return p.text[t.Start:t.Stop]
}

func (p *parser) unexpected(wanted string) {
	if p.kind() == End {
		fail(p.token().Start, "unexpected end of text, wanted %s", wanted)
	}
	fail(p.token().Start, "unexpected token %s, wanted %s", p.word(), wanted)
}

func (p *parser) take(kind Kind, wanted string) string {
	if p.kind() != kind {
		p.unexpected(wanted)
	}
	word := p.word()
	p.at++
	return word
}

func (p *parser) close() { p.take(Close, `")"`) }

// is says whether the next token is this keyword.
func (p *parser) is(keyword string) bool { return p.kind() == Atom && p.word() == keyword }

// keyword passes the next token if it is this keyword.
func (p *parser) keyword(keyword string) bool {
	if !p.is(keyword) {
		return false
	}
	p.at++
	return true
}

// form says whether "(keyword" comes next.
func (p *parser) form(keyword string) bool { return p.kind() == Open && p.head(p.at) == keyword }

// enter passes "(keyword" if it comes next.
func (p *parser) enter(keyword string) bool {
	if !p.form(keyword) {
		return false
	}
	p.at += 2
	return true
}

// head is the atom after the parenthesis at token i, "" if there is none.
func (p *parser) head(i int) string {
	if t := p.tokens[i+1]; t.Kind == Atom {
		return p.text[t.Start:t.Stop]
	}
	return ""
}

func (p *parser) string() string { return unquote(p.take(Quoted, "a string")) }

// utf8 is a string that has to be a name in the binary format's sense.
func (p *parser) utf8() string {
	at := p.token().Start
	text := p.string()
	if !utf8.ValidString(text) {
		fail(at, "malformed UTF-8 encoding in the name")
	}
	return text
}

// name is the next token's identifier without its dollar, escapes resolved.
func (p *parser) name() string {
	word := p.take(Name, "a $name")[1:]
	if word[0] == '"' {
		return unquote(word)
	}
	return word
}

// skip passes one token, or one parenthesis with all it contains.
func (p *parser) skip() {
	for depth := 0; ; {
		switch p.kind() {
		case Open, Annotation:
			depth++
		case Close:
			depth--
			if depth < 0 {
				p.unexpected("a field")
			}
		case End:
			p.unexpected(`")"`)
		}
		p.at++
		if depth == 0 {
			return
		}
	}
}

func (p *parser) isNumber() bool {
	if p.kind() != Atom {
		return false
	}
	c := p.text[p.token().Start]
	return c >= '0' && c <= '9'
}

// isIndex says whether the next token can be an index: a name or a number.
func (p *parser) isIndex() bool { return p.kind() == Name || p.isNumber() }

func (p *parser) number(read func(string, int) (uint64, error), bits int, wanted string) uint64 {
	at := p.token().Start
	word := p.take(Atom, wanted)
	n, err := read(word, bits)
	switch {
	case errors.Is(err, errRange):
		fail(at, "constant out of range: %s does not fit %s", word, wanted)
	case err != nil:
		fail(at, "unknown operator: %s is no %s", word, wanted)
	}
	return n
}

func (p *parser) u32() uint32 { return uint32(p.number(parseUnsigned, 32, "u32")) }
func (p *parser) u64() uint64 { return p.number(parseUnsigned, 64, "u64") }

// space is one index space: how many are defined and which have names.
type space struct {
	noun  string
	count uint32
	names map[string]uint32
}

// bind gives the next index to a name; "" is nameless.
func (s *space) bind(name string, at int) uint32 {
	if name != "" {
		if _, taken := s.names[name]; taken {
			fail(at, "duplicate %s $%s", s.noun, name)
		}
		if s.names == nil {
			s.names = map[string]uint32{}
		}
		s.names[name] = s.count
	}
	s.count++
	return s.count - 1
}

func (p *parser) index(s *space) uint32 {
	if p.kind() != Name {
		return uint32(p.number(parseUnsigned, 32, s.noun+" index"))
	}
	at := p.token().Start
	name := p.name()
	index, ok := s.names[name]
	if !ok {
		fail(at, "unknown %s $%s", s.noun, name)
	}
	return index
}
