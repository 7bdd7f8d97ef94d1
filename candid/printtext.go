package candid

import (
	"math"
	"strconv"

	"github.com/canisterd/canisterd/candid/internal/syntax"
	"github.com/canisterd/canisterd/candid/principal"
)

// Format returns a value in the textual form on one line, with the types of numbers. Reading it at its type
// ([ParseValueAt]) returns the same value.
func Format(v Value) string {
	p := printer{}
	p.value(v)
	return string(p.out)
}

// FormatArgs returns an argument list on one line, "(1 : nat, \"x\")".
func FormatArgs(args []Value) string {
	p := printer{}
	p.args(args)
	return string(p.out)
}

type printer struct {
	out   []byte
	depth int
}

// group prints n elements between brackets.
func (p *printer) group(opening, closing string, separator byte, n int, element func(i int)) {
	p.out = append(p.out, opening...)
	pad := opening != "(" && n > 0
	for i := range n {
		if i > 0 {
			p.out = append(p.out, separator)
		}
		if i > 0 || pad {
			p.out = append(p.out, ' ')
		}
		element(i)
	}
	if pad {
		p.out = append(p.out, ' ')
	}
	p.out = append(p.out, closing...)
}

func (p *printer) args(args []Value) {
	p.group("(", ")", ',', len(args), func(i int) { p.value(args[i]) })
}

func (p *printer) value(v Value) {
	if p.depth++; p.depth > MaxDepth {
		p.out = append(p.out, "…"...)
		p.depth--
		return
	}
	switch v := v.(type) {
	case Opt:
		p.opt(v)
	case Vec:
		p.group("vec {", "}", ';', len(v), func(i int) { p.value(v[i]) })
	case Record:
		p.record(v)
	case Variant:
		p.group("variant {", "}", ';', 1, func(int) {
			p.label(v.Label)
			if _, null := v.Value.(Null); !null {
				p.out = append(p.out, " = "...)
				p.value(v.Value)
			}
		})
	default:
		p.plain(v)
	}
	p.depth--
}

func (p *printer) opt(o Opt) {
	if o.Value == nil {
		p.out = append(p.out, "null"...)
		return
	}
	p.out = append(p.out, "opt "...)
	if !annotated(o.Value) {
		p.value(o.Value)
		return
	}
	p.out = append(p.out, '(')
	p.value(o.Value)
	p.out = append(p.out, ')')
}

// tuple reports whether the fields have the ids 0, 1, … and no names.
func (r Record) tuple() bool {
	for i, f := range r {
		if f.ID != uint32(i) || f.Name != "" {
			return false
		}
	}
	return true
}

// record prints a record.
func (p *printer) record(r Record) {
	tuple := r.tuple()
	p.group("record {", "}", ';', len(r), func(i int) {
		if !tuple {
			p.label(r[i].Label)
			p.out = append(p.out, " = "...)
		}
		p.value(r[i].Value)
	})
}

func (p *printer) label(l Label) {
	if l.Name == "" {
		p.grouped(strconv.FormatUint(uint64(l.ID), 10))
		return
	}
	p.out = append(p.out, l.String()...)
}

// annotated reports whether plain adds a type to the value.
func annotated(v Value) bool {
	switch v.(type) {
	case Bool, Text, Opt, Vec, Blob, Record, Variant, Principal, Service, Func, literal:
		return false
	}
	return true
}

func (p *printer) plain(v Value) {
	switch v := v.(type) {
	case nil:
		p.out = append(p.out, "nothing"...)
		return
	case Null, Reserved:
		p.out = append(p.out, "null"...)
	case Bool:
		p.out = strconv.AppendBool(p.out, bool(v))
	case Text:
		p.out = syntax.AppendQuote(p.out, string(v))
	case Blob:
		p.out = syntax.AppendBlob(append(p.out, "blob "...), v)
	case Principal:
		p.reference("principal", principal.Principal(v))
	case Service:
		p.reference("service", principal.Principal(v))
	case Func:
		p.reference("func", v.Service)
		p.out = append(append(p.out, '.'), syntax.Name(v.Method)...)
	default:
		p.number(v)
	}
	if annotated(v) {
		p.out = append(append(p.out, " : "...), kindOf(v).String()...)
	}
}

func (p *printer) reference(keyword string, id principal.Principal) {
	p.out = append(append(append(p.out, keyword...), ` "`...), id.String()...)
	p.out = append(p.out, '"')
}

func (p *printer) number(v Value) {
	switch v := v.(type) {
	case Nat:
		p.grouped(v.String())
	case Int:
		p.grouped(v.String())
	case Float32:
		p.float(float64(v), 32)
	case Float64:
		p.float(float64(v), 64)
	case literal:
		if v.whole == nil {
			p.out = append(p.out, v.text...)
			return
		}
		p.grouped(v.whole.String())
	default:
		kind, w := word(v)
		if integerBits[kind] < 0 {
			p.grouped(strconv.FormatInt(int64(w), 10))
			return
		}
		p.grouped(strconv.FormatUint(w, 10))
	}
}

// grouped prints decimal digits in groups of three.
func (p *printer) grouped(digits string) {
	if digits[0] == '-' {
		p.out = append(p.out, '-')
		digits = digits[1:]
	}
	for i := range len(digits) {
		if left := len(digits) - i; i > 0 && left%3 == 0 {
			p.out = append(p.out, '_')
		}
		p.out = append(p.out, digits[i])
	}
}

// float prints the shortest digits that read back as the same number.
func (p *printer) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		p.out = append(p.out, "nan"...)
		return
	case math.IsInf(f, 1):
		p.out = append(p.out, "inf"...)
		return
	case math.IsInf(f, -1):
		p.out = append(p.out, "-inf"...)
		return
	}
	start := len(p.out)
	p.out = strconv.AppendFloat(p.out, f, 'g', -1, bits)
	for _, c := range p.out[start:] {
		if c == '.' || c == 'e' {
			return
		}
	}
	p.out = append(p.out, ".0"...)
}
