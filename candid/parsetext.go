package candid

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/internal/syntax"
	"github.com/canisterd/canisterd/candid/principal"
)

// literal is a number in a text whose type is not known yet. It never leaves this package: settle or Conform converts
// it to a value.
type literal struct {
	whole *big.Int // nil for a floating-point number
	text  string   // sign and digits of a floating-point number
}

func (literal) candidValue() {}

// ParseArgs reads an argument list, "(42, opt \"x\")", without knowing its types: whole numbers become int, others
// float64, unless annotated. In addition to the grammar, nan and inf are read as float64, because values may hold them.
func ParseArgs(text string) ([]Value, error) {
	raw, err := parseArgs(text)
	if err != nil {
		return nil, err
	}
	for i := range raw {
		if raw[i], err = settle(raw[i]); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return raw, nil
}

// ParseArgsAt reads an argument list as values of the types. Missing optional arguments and fields are filled in,
// fields that the types do not have are dropped.
func ParseArgsAt(text string, types []*Type) ([]Value, error) {
	raw, err := parseArgs(text)
	if err != nil {
		return nil, err
	}
	return ConformArgs(raw, types)
}

// ParseValue reads one value, "record { a = 1 }", without knowing its type.
func ParseValue(text string) (Value, error) {
	v, err := parseOne(text)
	if err != nil {
		return nil, err
	}
	return settle(v)
}

// ParseValueAt reads one value of the type.
func ParseValueAt(text string, t *Type) (Value, error) {
	v, err := parseOne(text)
	if err != nil {
		return nil, err
	}
	return Conform(v, t)
}

func parseArgs(text string) (args []Value, err error) {
	p, err := newValueParser(text)
	if err != nil {
		return nil, err
	}
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	err = p.List(",", ")", func() error {
		v, err := p.annotated()
		args = append(args, v)
		return err
	})
	if err == nil && p.Tok.Kind != syntax.EOF {
		err = p.Unexpected("the end")
	}
	return args, err
}

func parseOne(text string) (Value, error) {
	p, err := newValueParser(text)
	if err != nil {
		return nil, err
	}
	v, err := p.annotated()
	if err == nil && p.Tok.Kind != syntax.EOF {
		err = p.Unexpected("the end")
	}
	return v, err
}

type valueParser struct {
	*syntax.Parser
	depth int
}

func newValueParser(text string) (*valueParser, error) {
	p, err := syntax.NewParser(text, MaxTextBytes)
	return &valueParser{Parser: p}, err
}

// annotated reads a value that may be followed by its type.
func (p *valueParser) annotated() (Value, error) {
	start := p.Tok.Pos
	v, err := p.value()
	if err != nil || !p.Is(":") {
		return v, err
	}
	if err := p.Advance(); err != nil {
		return nil, err
	}
	e, err := p.Type()
	if err != nil {
		return nil, err
	}
	t, err := TypeFromSyntax(e, func(string) (*Type, bool) { return nil, false })
	if err != nil {
		return nil, p.Fail(e.Pos, "%v", err)
	}
	if v, err = Conform(v, t); err != nil {
		return nil, p.Fail(start, "%v", err)
	}
	return v, nil
}

func (p *valueParser) value() (Value, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, p.Fail(p.Tok.Pos, "%v", errTooDeep)
	}
	defer func() { p.depth-- }()
	tok := p.Tok
	switch tok.Kind {
	case syntax.Text:
		if !utf8.ValidString(tok.Text) {
			return nil, p.Fail(tok.Pos, "a text is valid UTF-8: write bytes as a blob")
		}
		return Text(tok.Text), p.Advance()
	case syntax.Int, syntax.Float:
		return p.number("")
	case syntax.Ident:
		return p.word()
	case syntax.Punct:
		switch tok.Text {
		case "+", "-":
			if err := p.Advance(); err != nil {
				return nil, err
			}
			return p.number(strings.TrimPrefix(tok.Text, "+"))
		case "(":
			if err := p.Advance(); err != nil {
				return nil, err
			}
			v, err := p.annotated()
			if err != nil {
				return nil, err
			}
			return v, p.Expect(")")
		}
	}
	return nil, p.Unexpected("a value")
}

func (p *valueParser) number(sign string) (Value, error) {
	tok := p.Tok
	switch {
	case len(tok.Text) > MaxNumberDigits:
		return nil, p.Fail(tok.Pos, "a number has at most %d digits", MaxNumberDigits)
	case tok.Kind == syntax.Float, tok.Text == "nan", tok.Text == "inf":
		return literal{text: sign + tok.Text}, p.Advance()
	case tok.Kind != syntax.Int:
		return nil, p.Unexpected("a number")
	}
	digits, base := syntax.Digits(tok.Text)
	n, ok := new(big.Int).SetString(sign+digits, base)
	if !ok {
		return nil, p.Fail(tok.Pos, "%s is not a number", tok)
	}
	return literal{whole: n}, p.Advance()
}

// word reads a value that begins with a keyword.
func (p *valueParser) word() (Value, error) {
	tok := p.Tok
	if tok.Text == "nan" || tok.Text == "inf" {
		return p.number("")
	}
	if err := p.Advance(); err != nil {
		return nil, err
	}
	switch tok.Text {
	case "true", "false":
		return Bool(tok.Text == "true"), nil
	case "null":
		return Null{}, nil
	case "opt":
		v, err := p.value()
		return Opt{v}, err
	case "vec":
		return p.vec()
	case "record":
		return p.record()
	case "variant":
		return p.variant()
	case "blob":
		blob := p.Tok
		if blob.Kind != syntax.Text {
			return nil, p.Unexpected("a text")
		}
		return Blob(blob.Text), p.Advance()
	case "principal":
		id, err := p.principal()
		return Principal(id), err
	case "service":
		id, err := p.principal()
		return Service(id), err
	case "func":
		return p.fn()
	}
	return nil, p.Fail(tok.Pos, "a value is expected, not %s", tok)
}

func (p *valueParser) principal() (principal.Principal, error) {
	tok := p.Tok
	if tok.Kind != syntax.Text {
		return principal.Principal{}, p.Unexpected("a principal in quotes")
	}
	id, err := principal.Parse(tok.Text)
	if err != nil {
		return id, p.Fail(tok.Pos, "%v", err)
	}
	return id, p.Advance()
}

func (p *valueParser) fn() (Value, error) {
	id, err := p.principal()
	if err != nil {
		return nil, err
	}
	if err := p.Expect("."); err != nil {
		return nil, err
	}
	name, err := p.Name()
	return Func{id, name}, err
}

func (p *valueParser) vec() (Value, error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	vec := Vec{}
	err := p.List(";", "}", func() error {
		v, err := p.annotated()
		vec = append(vec, v)
		return err
	})
	return vec, err
}

func (p *valueParser) record() (Value, error) {
	start := p.Tok.Pos
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	record := Record{}
	next := uint64(0)
	err := p.List(";", "}", func() error {
		f := FieldValue{Label: Numbered(uint32(next))}
		labelled, err := p.label(&f.Label)
		if err != nil {
			return err
		}
		if !labelled && next > 1<<32-1 {
			return p.Fail(p.Tok.Pos, "the field before has the highest id there is: give this one an id")
		}
		next = uint64(f.ID) + 1
		f.Value, err = p.annotated()
		record = append(record, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	if record, err = sortFields(record); err != nil {
		return nil, p.Fail(start, "%v", err)
	}
	return record, nil
}

// label reads "name =" or "7 =" if it follows.
func (p *valueParser) label(l *Label) (bool, error) {
	if p.Tok.Kind != syntax.Ident && p.Tok.Kind != syntax.Text && p.Tok.Kind != syntax.Int {
		return false, nil
	}
	after, err := p.Peek()
	if err != nil || after.Kind != syntax.Punct || after.Text != "=" {
		return false, err
	}
	if err := p.bareLabel(l); err != nil {
		return false, err
	}
	return true, p.Advance()
}

func (p *valueParser) bareLabel(l *Label) error {
	if p.Tok.Kind == syntax.Int {
		id, err := p.FieldID()
		*l = Numbered(id)
		return err
	}
	name, err := p.Name()
	*l = Named(name)
	return err
}

func (p *valueParser) variant() (Value, error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	v := Variant{Value: Null{}}
	if err := p.bareLabel(&v.Label); err != nil {
		return nil, err
	}
	given, err := p.Accept("=")
	if err != nil {
		return nil, err
	}
	if given {
		if v.Value, err = p.annotated(); err != nil {
			return nil, err
		}
	}
	if _, err := p.Accept(";"); err != nil {
		return nil, err
	}
	return v, p.Expect("}")
}

// float returns the number as a binary number of the given bits. It fails if the number is too large for them; only inf
// is infinite.
func (l literal) float(bits int) (float64, error) {
	text := l.text
	if l.whole != nil {
		text = l.whole.String()
	}
	f, err := strconv.ParseFloat(text, bits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s does not fit float%d", clip(text), bits)
	}
	return f, err
}
