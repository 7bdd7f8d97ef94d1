package did

import (
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// Example returns an argument list that the method takes, as text, and false where one of its types has no small value.
// Recursive types end at once: in an option, an empty vector, or a case of a variant.
func (m Method) Example() (string, bool) {
	p := examplePrinter{left: MaxExampleParts}
	fits := true
	p.list("(", ", ", ")", len(m.Args), func(i int) {
		fits = fits && p.value(m.Args[i].Type, m.Args[i].Name)
	})
	if !fits {
		return "", false
	}
	text := p.out.String()
	if _, err := m.EncodeArgs(text); err != nil { // such as a type that is too deep for a message
		return "", false
	}
	return text, true
}

// examplePrinter writes a value of a type.
type examplePrinter struct {
	out    strings.Builder
	within []*candid.Type // types whose values contain the present one
	left   int            // records and variants that may follow
}

// exampleNumbers are numbers that every type of their kind has.
const (
	exampleInteger = "1"
	exampleFloat   = "1.5"
)

// exampleTexts are examples of types without parts.
var exampleTexts = map[candid.Kind]string{
	candid.KindNull: "null", candid.KindReserved: "null", candid.KindBool: "true", candid.KindFloat32: exampleFloat, candid.KindFloat64: exampleFloat,
	candid.KindNat: exampleInteger, candid.KindNat8: exampleInteger, candid.KindNat16: exampleInteger, candid.KindNat32: exampleInteger, candid.KindNat64: exampleInteger,
	candid.KindInt: exampleInteger, candid.KindInt8: exampleInteger, candid.KindInt16: exampleInteger, candid.KindInt32: exampleInteger, candid.KindInt64: exampleInteger,
	candid.KindPrincipal: `principal "2vxsx-fae"`, candid.KindService: `service "aaaaa-aa"`, candid.KindFunc: `func "aaaaa-aa".raw_rand`,
}

// value writes a value of a type, and reports whether there is a small one. A text is the name of its place.
func (p *examplePrinter) value(t *candid.Type, name string) bool {
	if text, simple := exampleTexts[t.Kind()]; simple {
		p.out.WriteString(text)
		return true
	}
	switch {
	case t.Kind() == candid.KindText:
		if name == "" {
			name = "text"
		}
		p.out.Write(syntax.AppendQuote(nil, name))
		return true
	case t.IsBlob():
		p.out.WriteString(`blob "\01\02"`)
		return true
	case slices.Contains(p.within, t):
		return p.end(t)
	}
	p.within = append(p.within, t)
	defer func() { p.within = p.within[:len(p.within)-1] }()
	switch t.Kind() {
	case candid.KindOpt:
		return p.either(t, func() bool { p.out.WriteString("opt "); return p.value(t.Elem(), name) })
	case candid.KindVec:
		return p.either(t, func() bool {
			p.out.WriteString("vec { ")
			fits := p.value(t.Elem(), name)
			p.out.WriteString(" }")
			return fits
		})
	case candid.KindRecord:
		return p.record(t)
	case candid.KindVariant:
		return p.variant(t)
	}
	return false // empty
}

// end writes a value of a recursive type within itself.
func (p *examplePrinter) end(t *candid.Type) bool {
	switch t.Kind() {
	case candid.KindOpt:
		p.out.WriteString("null")
		return true
	case candid.KindVec:
		p.out.WriteString("vec {}")
		return true
	}
	return false
}

// either writes a value of an option or a vector, or an empty one if there is no small one in it.
func (p *examplePrinter) either(t *candid.Type, value func() bool) bool {
	before := p.out.String()
	if value() {
		return true
	}
	p.out.Reset()
	p.out.WriteString(before)
	return p.end(t)
}

// list writes n elements between brackets.
func (p *examplePrinter) list(opening, separator, closing string, n int, element func(i int)) {
	p.out.WriteString(opening)
	for i := range n {
		if i > 0 {
			p.out.WriteString(separator)
		}
		element(i)
	}
	p.out.WriteString(closing)
}

// take reports whether another record or variant may follow.
func (p *examplePrinter) take() bool {
	p.left--
	return p.left >= 0
}

func (p *examplePrinter) record(t *candid.Type) bool {
	fields := t.Fields()
	if len(fields) == 0 {
		p.out.WriteString("record {}")
		return true
	}
	fits := p.take()
	p.list("record { ", "; ", " }", len(fields), func(i int) {
		if fits && !tuple(fields) {
			p.out.WriteString(fields[i].Label.String() + " = ")
		}
		fits = fits && p.value(fields[i].Type, fields[i].Name)
	})
	return fits
}

// variant writes the first case with a small value: cases with parts come first, since they show more.
func (p *examplePrinter) variant(t *candid.Type) bool {
	if !p.take() {
		return false
	}
	before := p.out.String()
	for _, parts := range []bool{true, false} {
		for _, f := range t.Fields() {
			if (f.Type.Kind() != candid.KindNull) != parts {
				continue
			}
			p.out.WriteString("variant { " + f.Label.String())
			if parts {
				p.out.WriteString(" = ")
			}
			if !parts || p.value(f.Type, f.Name) {
				p.out.WriteString(" }")
				return true
			}
			p.out.Reset()
			p.out.WriteString(before)
		}
	}
	return false
}
