package candid

import (
	"strconv"

	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// String returns the name, quoted if the grammar requires it, or the id if there is no name.
func (l Label) String() string {
	if l.Name != "" {
		return syntax.Name(l.Name)
	}
	return strconv.FormatUint(uint64(l.ID), 10)
}

// typeTextBytes limits the text of String: types of messages are graphs that can unfold to any size.
const typeTextBytes = 64 << 10

// String returns the type in the syntax of .did files. Named types appear by their names; an endless text is cut with
// an ellipsis.
func (t *Type) String() string { return string((&typePrinter{limit: typeTextBytes}).ref(t)) }

// brief returns the type, short enough for an error message.
func (t *Type) brief() string { return string((&typePrinter{limit: 120}).ref(t)) }

// Definition is String for the type behind a name: the type itself, not its name.
func (t *Type) Definition() string {
	return string((&typePrinter{limit: typeTextBytes}).body(t.resolve()))
}

type typePrinter struct {
	out   []byte
	limit int
	depth int
}

func (p *typePrinter) ref(t *Type) []byte {
	const deepest = 200
	switch {
	case t.kind == KindNamed:
		p.out = append(p.out, t.name...)
	case len(p.out) > p.limit || p.depth > deepest:
		p.out = append(p.out, "…"...)
	default:
		p.depth++
		p.body(t)
		p.depth--
	}
	return p.out
}

func (p *typePrinter) body(t *Type) []byte {
	switch t.kind {
	case KindOpt:
		p.out = append(p.out, "opt "...)
		p.ref(t.elem)
	case KindVec:
		if t.elem.kind == KindNat8 {
			p.out = append(p.out, "blob"...)
			break
		}
		p.out = append(p.out, "vec "...)
		p.ref(t.elem)
	case KindRecord, KindVariant:
		p.fields(t)
	case KindFunc:
		p.out = append(p.out, "func "...)
		p.signature(t.fn)
	case KindService:
		p.methods(t)
	default:
		p.out = append(p.out, t.kind.String()...)
	}
	return p.out
}

// more separates the elements of a list and reports whether to continue.
func (p *typePrinter) more(i int, separator string) bool {
	if i > 0 {
		p.out = append(p.out, separator...)
	}
	if len(p.out) > p.limit {
		p.out = append(p.out, "…"...)
		return false
	}
	return true
}

func (p *typePrinter) fields(t *Type) {
	p.out = append(append(p.out, t.kind.String()...), " {"...)
	for i, f := range t.fields {
		if !p.more(i, ";") {
			break
		}
		p.out = append(append(p.out, ' '), f.Label.String()...)
		if t.kind == KindVariant && f.Type.kind == KindNull {
			continue
		}
		p.out = append(p.out, " : "...)
		p.ref(f.Type)
	}
	p.out = append(p.out, " }"...)
}

func (p *typePrinter) signature(s *Signature) {
	p.list(s.Args, s.ArgNames)
	p.out = append(p.out, " -> "...)
	p.list(s.Results, s.ResultNames)
	for _, word := range s.Annotation.words() {
		p.out = append(append(p.out, ' '), word...)
	}
}

// words returns the keywords of a set of annotations.
func (a Annotation) words() (words []string) {
	for i, word := range []string{"query", "oneway", "composite_query"} {
		if a&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return words
}

func (p *typePrinter) list(types []*Type, names []string) {
	p.out = append(p.out, '(')
	for i, t := range types {
		if !p.more(i, ", ") {
			break
		}
		if i < len(names) && names[i] != "" {
			p.out = append(append(p.out, syntax.Name(names[i])...), " : "...)
		}
		p.ref(t)
	}
	p.out = append(p.out, ')')
}

func (p *typePrinter) methods(t *Type) {
	p.out = append(p.out, "service {"...)
	for i, m := range t.methods {
		if !p.more(i, ";") {
			break
		}
		p.out = append(append(append(p.out, ' '), syntax.Name(m.Name)...), " : "...)
		switch {
		case m.Type.kind == KindNamed:
			p.out = append(p.out, m.Type.name...)
		case m.Type.fn != nil:
			p.signature(m.Type.fn)
		}
	}
	p.out = append(p.out, " }"...)
}
