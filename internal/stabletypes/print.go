package stabletypes

import "strings"

// printer writes types as the compiler does, on one line.
type printer struct {
	strings.Builder
	most int                      // bytes, about
	name func(*definition) string // of a defined type; nil: the name without the number that the compiler appends
}

// String returns the type on one line, shortened to MaxShownBytes.
func (t *typ) String() string {
	p := printer{most: MaxShownBytes}
	p.print(t)
	if text := p.Builder.String(); len(text) <= MaxShownBytes {
		return text
	}
	return p.Builder.String()[:MaxShownBytes] + "…"
}

func (p *printer) print(t *typ) {
	if p.Len() > p.most {
		return
	}
	switch t.kind {
	case named:
		p.named(t)
	case option:
		p.WriteByte('?')
		p.operand(t.parts[0])
	case weak, async:
		p.WriteString(t.word + " ")
		p.operand(t.parts[0])
	case mutable:
		p.WriteString("var ")
		p.print(t.parts[0])
	case array:
		p.list("[", t.parts, "]")
	case tuple:
		p.list("(", t.parts, ")")
	case object, variant:
		p.fields(t)
	case function:
		p.function(t)
	}
}

// operand writes a type behind a word: a function is in parentheses there.
func (p *printer) operand(t *typ) {
	if t.kind == function {
		p.list("(", []*typ{t}, ")")
		return
	}
	p.print(t)
}

func (p *printer) list(before string, all []*typ, after string) {
	p.WriteString(before)
	for i, t := range all {
		if i > 0 {
			p.WriteString(", ")
		}
		p.print(t)
	}
	p.WriteString(after)
}

func (p *printer) named(t *typ) {
	switch {
	case t.def == nil:
		p.WriteString(t.word)
	case p.name != nil:
		p.WriteString(p.name(t.def))
	default:
		name, _, _ := strings.Cut(t.word, "__")
		p.WriteString(name)
	}
	if len(t.parts) > 0 {
		p.list("<", t.parts, ">")
	}
}

func (p *printer) fields(t *typ) {
	if t.word != "" {
		p.WriteString(t.word + " ")
	}
	p.WriteByte('{')
	if t.kind == variant && len(t.parts) == 0 {
		p.WriteByte('#')
	}
	for i, part := range t.parts {
		if i > 0 {
			p.WriteString("; ")
		}
		if part.kind == mutable {
			p.WriteString("var ")
		}
		p.WriteString(t.labels[i])
		if t.kind == object || part.kind != tuple || len(part.parts) > 0 {
			p.WriteString(" : ")
			p.print(part.immutable())
		}
	}
	p.WriteByte('}')
}

func (p *printer) function(t *typ) {
	if t.word != "" {
		p.WriteString(t.word + " ")
	}
	for i, b := range t.binds {
		p.WriteString([]string{"<", ", "}[min(i, 1)] + b.name)
		if b.bound != nil {
			p.WriteString(" <: ")
			p.print(b.bound)
		}
	}
	if len(t.binds) > 0 {
		p.WriteString(">")
	}
	p.list("(", t.parts[:t.inputs], ")")
	p.WriteString(" -> ")
	if results := t.parts[t.inputs:]; len(results) == 1 {
		p.print(results[0])
	} else {
		p.list("(", results, ")")
	}
}
