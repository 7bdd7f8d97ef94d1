package syntax

import (
	"strconv"
	"unicode/utf8"
)

// Parser reads tokens with one token of lookahead, and parses type expressions. The parsers of values and of .did files
// embed it.
type Parser struct {
	*Lexer
	Tok   Token // the current token
	ahead []Token
	depth int
}

// NewParser returns a parser at the first token of src.
func NewParser(src string, most int) (*Parser, error) {
	l, err := NewLexer(src, most)
	if err != nil {
		return nil, err
	}
	p := &Parser{Lexer: l}
	return p, p.Advance()
}

// Advance goes to the next token.
func (p *Parser) Advance() (err error) {
	if len(p.ahead) > 0 {
		p.Tok, p.ahead = p.ahead[0], p.ahead[:0]
		return nil
	}
	p.Tok, err = p.Next()
	return err
}

// Peek returns the token after the current one.
func (p *Parser) Peek() (Token, error) {
	if len(p.ahead) == 0 {
		t, err := p.Next()
		if err != nil {
			return t, err
		}
		p.ahead = append(p.ahead, t)
	}
	return p.ahead[0], nil
}

// Is reports whether the current token is this punctuation or identifier.
func (p *Parser) Is(text string) bool {
	return (p.Tok.Kind == Punct || p.Tok.Kind == Ident) && p.Tok.Text == text
}

// Accept skips the current token if it is this one.
func (p *Parser) Accept(text string) (bool, error) {
	if !p.Is(text) {
		return false, nil
	}
	return true, p.Advance()
}

// Expect skips the current token, which must be this one.
func (p *Parser) Expect(text string) error {
	if !p.Is(text) {
		return p.Unexpected("“" + text + "”")
	}
	return p.Advance()
}

// Unexpected returns the error for a current token that is not the wanted one.
func (p *Parser) Unexpected(wanted string) error {
	return p.Fail(p.Tok.Pos, "%s is expected, not %s", wanted, p.Tok)
}

// Name reads an identifier that is not a keyword, or a text.
func (p *Parser) Name() (string, error) {
	if p.Tok.Kind == Ident && Keyword(p.Tok.Text) {
		return "", p.Fail(p.Tok.Pos, "“%s” is a keyword: put it in quotes to use it as a name", p.Tok.Text)
	}
	if p.Tok.Kind != Ident && p.Tok.Kind != Text {
		return "", p.Unexpected("a name")
	}
	name := p.Tok.Text
	if !utf8.ValidString(name) {
		return "", p.Fail(p.Tok.Pos, "a name is valid UTF-8")
	}
	return name, p.Advance()
}

// FieldID reads a number below 2^32.
func (p *Parser) FieldID() (uint32, error) {
	digits, base := Digits(p.Tok.Text)
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || p.Tok.Kind != Int {
		return 0, p.Fail(p.Tok.Pos, "%s is not a field id: ids are numbers below 2^32", p.Tok)
	}
	return uint32(n), p.Advance()
}

// Digits returns the digits of an Int token and their base, 10 or 16.
func Digits(literal string) (digits string, base int) {
	if len(literal) > 2 && literal[1]|0x20 == 'x' {
		return literal[2:], 16
	}
	return literal, 10
}

// List reads elements with separators between them, optionally one after the last, up to and including the closing
// token.
func (p *Parser) List(separator, closing string, element func() error) error {
	for !p.Is(closing) {
		if err := element(); err != nil {
			return err
		}
		if p.Is(closing) {
			break
		}
		if !p.Is(separator) {
			return p.Unexpected("“" + separator + "” or “" + closing + "”")
		}
		if err := p.Advance(); err != nil {
			return err
		}
	}
	return p.Advance()
}

// Type reads a type expression.
func (p *Parser) Type() (*Type, error) {
	if p.depth++; p.depth > MaxTypeDepth {
		return nil, p.Fail(p.Tok.Pos, "types nest deeper than %d levels", MaxTypeDepth)
	}
	defer func() { p.depth-- }()
	if p.Tok.Kind != Ident {
		return nil, p.Unexpected("a type")
	}
	word := p.Tok.Text
	t := &Type{Pos: p.Tok.Pos, Op: word}
	if !Keyword(word) && !Primitive(word) {
		t.Op, t.Name = "", word
	}
	if err := p.Advance(); err != nil {
		return nil, err
	}
	return t, p.typeBody(t)
}

func (p *Parser) typeBody(t *Type) (err error) {
	switch t.Op {
	case "opt", "vec":
		t.Elem, err = p.Type()
	case "record", "variant":
		t.Fields, err = p.fields(t.Op)
	case "func":
		t.Func, err = p.Func()
	case "service":
		t.Methods, err = p.Methods()
	case "blob", "":
	default:
		if !Primitive(t.Op) {
			return p.Fail(t.Pos, "a type is expected, not the keyword “%s”", t.Op)
		}
	}
	return err
}

func (p *Parser) fields(kind string) (fields []Field, err error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	next := uint64(0)
	err = p.List(";", "}", func() error {
		f, err := p.field(kind)
		if err != nil {
			return err
		}
		switch f.Form {
		case ByName:
			next = uint64(hash(f.Name)) + 1
		case ByNumber:
			next = uint64(f.ID) + 1
		case ByPosition:
			if next >= 1<<32 {
				return p.Fail(f.Pos, "the field before has the highest id there is: give this one an id")
			}
			f.ID = uint32(next)
			next++
		}
		fields = append(fields, f)
		return nil
	})
	return fields, err
}

// hash returns the id of a name; candid.Hash is the same for the packages above.
func hash(name string) (h uint32) {
	for i := range len(name) {
		h = h*223 + uint32(name[i])
	}
	return h
}

func (p *Parser) field(kind string) (f Field, err error) {
	f.Pos = p.Tok.Pos
	switch p.Tok.Kind {
	case Int:
		f.Form = ByNumber
		f.ID, err = p.FieldID()
	case Text:
		f.Name, err = p.Name()
	default:
		after, failed := p.Peek()
		if failed != nil {
			return f, failed
		}
		labelled := after.Kind == Punct && after.Text == ":"
		if kind == "record" && !labelled {
			f.Form = ByPosition
			f.Type, err = p.Type()
			return f, err
		}
		f.Name, err = p.Name()
	}
	if err != nil {
		return f, err
	}
	if kind == "variant" && !p.Is(":") {
		return f, nil
	}
	if err := p.Expect(":"); err != nil {
		return f, err
	}
	f.Type, err = p.Type()
	return f, err
}

// Func reads (…) -> (…) and annotations.
func (p *Parser) Func() (*Func, error) {
	f := &Func{}
	var err error
	if f.Args, err = p.Args(); err != nil {
		return nil, err
	}
	if err := p.Expect("->"); err != nil {
		return nil, err
	}
	if f.Results, err = p.Args(); err != nil {
		return nil, err
	}
	for p.Is("query") || p.Is("oneway") || p.Is("composite_query") {
		f.Modes = append(f.Modes, p.Tok.Text)
		if err := p.Advance(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Args reads (T, name : T, …).
func (p *Parser) Args() (args []Arg, err error) {
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	err = p.List(",", ")", func() error {
		var a Arg
		after, err := p.Peek()
		if err != nil {
			return err
		}
		if after.Kind == Punct && after.Text == ":" {
			pos := p.Tok.Pos
			if a.Name, err = p.Name(); err != nil {
				return err
			}
			if seen[a.Name] {
				return p.Fail(pos, "two arguments have the name %s", Name(a.Name))
			}
			seen[a.Name] = true
			if err := p.Expect(":"); err != nil {
				return err
			}
		}
		a.Type, err = p.Type()
		args = append(args, a)
		return err
	})
	return args, err
}

// Methods reads { name : func type or name; … }.
func (p *Parser) Methods() (methods []Method, err error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	err = p.List(";", "}", func() error {
		m := Method{Pos: p.Tok.Pos}
		if m.Name, err = p.Name(); err != nil {
			return err
		}
		if err := p.Expect(":"); err != nil {
			return err
		}
		if p.Tok.Kind == Ident && !Keyword(p.Tok.Text) {
			m.Type = &Type{Name: p.Tok.Text, Pos: p.Tok.Pos}
			err = p.Advance()
		} else {
			m.Type = &Type{Op: "func", Pos: p.Tok.Pos}
			m.Type.Func, err = p.Func()
		}
		methods = append(methods, m)
		return err
	})
	return methods, err
}
