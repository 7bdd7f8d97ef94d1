package candid

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/internal/syntax"
	"github.com/canisterd/canisterd/candid/principal"
)

// Brief formats an argument list for a line that people skim, such as (100, ok = "done"): numbers have no types,
// records and vectors no keywords, a variant is its field. It cannot be parsed. A text longer than width runes ends in
// "…". name returns the displayed name of a principal, or "" for its text.
func Brief(args []Value, width int, name func(principal.Principal) string) string {
	p := briefPrinter{limit: width * utf8.UTFMax, name: name}
	p.list("(", ")", len(args), func(i int) { p.value(args[i], false) })
	text := p.out.String()
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(width-1, 0)]) + "…"
}

// briefPrinter writes values until the text is longer than its limit.
type briefPrinter struct {
	out   strings.Builder
	limit int // bytes
	depth int
	name  func(principal.Principal) string
}

// full reports whether to stop.
func (p *briefPrinter) full() bool { return p.out.Len() > p.limit || p.depth > MaxDepth }

func (p *briefPrinter) list(opening, closing string, n int, element func(i int)) {
	p.out.WriteString(opening)
	for i := 0; i < n && !p.full(); i++ {
		if i > 0 {
			p.out.WriteString(", ")
		}
		element(i)
	}
	p.out.WriteString(closing)
}

// value writes a value. If it is written as "field = value" and is itself the value of a field, it is put in
// parentheses.
func (p *briefPrinter) value(v Value, inField bool) {
	if p.full() {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	switch v := v.(type) {
	case Opt:
		if v.Value == nil {
			p.out.WriteString("null")
			return
		}
		p.value(v.Value, inField)
	case Vec:
		p.list("[", "]", len(v), func(i int) { p.value(v[i], false) })
	case Record:
		if v.tuple() {
			p.list("{", "}", len(v), func(i int) { p.value(v[i].Value, false) })
			return
		}
		p.list("{", "}", len(v), func(i int) { p.field(v[i]) })
	case Variant:
		p.variant(v, inField)
	case Text:
		p.out.Write(syntax.AppendQuote(nil, string(v[:min(len(v), p.limit)])))
	case Blob:
		p.out.WriteString("blob of " + strconv.Itoa(len(v)) + " bytes")
	case Principal:
		p.principal(principal.Principal(v))
	case Service:
		p.principal(principal.Principal(v))
	case Func:
		p.principal(v.Service)
		p.out.WriteString("." + syntax.Name(v.Method))
	default:
		text, _, _ := strings.Cut(Format(v), " : ")
		p.out.WriteString(text)
	}
}

func (p *briefPrinter) field(f FieldValue) {
	p.out.WriteString(f.Label.String() + " = ")
	p.value(f.Value, true)
}

func (p *briefPrinter) variant(v Variant, inField bool) {
	if _, null := v.Value.(Null); null {
		p.out.WriteString(v.Label.String())
		return
	}
	if inField {
		p.out.WriteByte('(')
	}
	p.field(FieldValue(v))
	if inField {
		p.out.WriteByte(')')
	}
}

func (p *briefPrinter) principal(id principal.Principal) {
	text := id.String()
	if p.name != nil {
		if name := p.name(id); name != "" {
			text = name
		}
	}
	p.out.WriteString(text)
}
