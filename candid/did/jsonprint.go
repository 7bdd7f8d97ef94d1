package did

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid"
)

// jsonPrinter writes values at their types.
type jsonPrinter struct {
	out   []byte
	depth int
}

// room fails if more bytes would be too many.
func (p *jsonPrinter) room(more int) *jsonFault {
	if len(p.out)+more > MaxJSONOutput {
		return &jsonFault{limit: true, reason: "as JSON the values have more than " + strconv.Itoa(MaxJSONOutput) + " bytes"}
	}
	return nil
}

func (p *jsonPrinter) args(values []candid.Value, types []*candid.Type) *jsonFault {
	if len(values) != len(types) {
		return &jsonFault{reason: strconv.Itoa(len(values)) + " values cannot be written at " + strconv.Itoa(len(types)) + " types"}
	}
	return p.list(len(values), func(i int) *jsonFault { return p.value(values[i], types[i]) })
}

func (p *jsonPrinter) list(n int, element func(i int) *jsonFault) *jsonFault {
	p.out = append(p.out, '[')
	for i := range n {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		if fault := element(i); fault != nil {
			return fault.at(i)
		}
	}
	p.out = append(p.out, ']')
	return p.room(0)
}

func (p *jsonPrinter) value(v candid.Value, t *candid.Type) *jsonFault {
	if p.depth++; p.depth > candid.MaxDepth {
		return tooDeep()
	}
	defer func() { p.depth-- }()
	switch t.Kind() {
	case candid.KindOpt:
		return p.opt(v, t)
	case candid.KindVec:
		return p.vec(v, t)
	case candid.KindRecord:
		return p.record(v, t)
	case candid.KindVariant:
		return p.variant(v, t)
	case candid.KindNull, candid.KindReserved, candid.KindFuture:
		p.out = append(p.out, "null"...)
		return p.room(0)
	}
	return p.plain(v, t)
}

func (p *jsonPrinter) misfit(v candid.Value, t *candid.Type) *jsonFault {
	if v == nil {
		return &jsonFault{reason: valueOf(t) + " is missing"}
	}
	return &jsonFault{reason: cut(candid.Format(v)) + " is not " + valueOf(t)}
}

// plain writes a value without parts. A nat may be written at int, and a service at principal, as in messages.
func (p *jsonPrinter) plain(v candid.Value, t *candid.Type) *jsonFault {
	own, err := candid.TypeOf(v)
	if err != nil || own.Kind() != t.Kind() &&
		!(own.Kind() == candid.KindNat && t.Kind() == candid.KindInt) &&
		!(own.Kind() == candid.KindService && t.Kind() == candid.KindPrincipal) {
		return p.misfit(v, t)
	}
	switch v := v.(type) {
	case candid.Bool:
		p.out = strconv.AppendBool(p.out, bool(v))
	case candid.Text:
		return p.text(string(v))
	case candid.Principal:
		return p.text(v.String())
	case candid.Service:
		return p.text(v.String())
	case candid.Func:
		p.out = append(p.out, `{"canister":`...)
		if fault := p.text(v.Service.String()); fault != nil {
			return fault
		}
		p.out = append(p.out, `,"method":`...)
		if fault := p.text(v.Method); fault != nil {
			return fault
		}
		p.out = append(p.out, '}')
	case candid.Float32:
		p.out = appendFloat(p.out, float64(v), 32)
	case candid.Float64:
		p.out = appendFloat(p.out, float64(v), 64)
	default:
		p.out = appendInteger(p.out, v)
	}
	return p.room(0)
}

func (p *jsonPrinter) opt(v candid.Value, t *candid.Type) *jsonFault {
	o, ok := v.(candid.Opt)
	if _, null := v.(candid.Null); !ok && !null {
		return p.misfit(v, t)
	}
	switch {
	case canBeNull(t.Elem()) && o.Value == nil:
		p.out = append(p.out, "[]"...)
	case canBeNull(t.Elem()):
		return p.list(1, func(int) *jsonFault { return p.value(o.Value, t.Elem()) })
	case o.Value == nil:
		p.out = append(p.out, "null"...)
	default:
		return p.value(o.Value, t.Elem())
	}
	return p.room(0)
}

func (p *jsonPrinter) vec(v candid.Value, t *candid.Type) *jsonFault {
	switch v := v.(type) {
	case candid.Blob:
		if !t.IsBlob() {
			break
		}
		if fault := p.room(2 * len(v)); fault != nil {
			return fault
		}
		p.out = append(hex.AppendEncode(append(p.out, '"'), v), '"')
		return nil
	case candid.Vec:
		if t.IsBlob() {
			break
		}
		elem := t.Elem()
		return p.list(len(v), func(i int) *jsonFault { return p.value(v[i], elem) })
	}
	return p.misfit(v, t)
}

func (p *jsonPrinter) record(v candid.Value, t *candid.Type) *jsonFault {
	r, ok := v.(candid.Record)
	fields := t.Fields()
	if !ok || len(r) != len(fields) {
		return p.misfit(v, t)
	}
	for i := range fields {
		if r[i].ID != fields[i].ID {
			return p.misfit(v, t)
		}
	}
	if tuple(fields) {
		return p.list(len(r), func(i int) *jsonFault { return p.value(r[i].Value, fields[i].Type) })
	}
	p.out = append(p.out, '{')
	for i, f := range fields {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		if fault := p.field(f, r[i].Value); fault != nil {
			return fault
		}
	}
	p.out = append(p.out, '}')
	return nil
}

// field writes "key": value.
func (p *jsonPrinter) field(f candid.Field, v candid.Value) *jsonFault {
	key := keyOf(f.Label)
	if fault := p.text(key); fault != nil {
		return fault
	}
	p.out = append(p.out, ':')
	return p.value(v, f.Type).under(key)
}

// keyOf returns the key of a field or case: its name, or its id like "_7_" if it has no name, or a name that looks like
// an id.
func keyOf(l candid.Label) string {
	if _, like := idKey(l.Name); l.Name != "" && !like {
		return l.Name
	}
	return "_" + strconv.FormatUint(uint64(l.ID), 10) + "_"
}

func (p *jsonPrinter) variant(v candid.Value, t *candid.Type) *jsonFault {
	c, ok := v.(candid.Variant)
	if !ok {
		return p.misfit(v, t)
	}
	i := byID(t.Fields(), c.ID)
	if i < 0 {
		return p.misfit(v, t)
	}
	p.out = append(p.out, '{')
	fault := p.field(t.Fields()[i], c.Value)
	p.out = append(p.out, '}')
	return fault
}

// text writes a string with escaped control characters.
func (p *jsonPrinter) text(s string) *jsonFault {
	if !utf8.ValidString(s) {
		return &jsonFault{reason: "a text is valid UTF-8, this one is not"}
	}
	if fault := p.room(len(s)); fault != nil {
		return fault
	}
	p.out = append(p.out, '"')
	plain := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		p.out = append(p.out, s[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			p.out = append(p.out, '\\', c)
		case '\n':
			p.out = append(p.out, `\n`...)
		case '\r':
			p.out = append(p.out, `\r`...)
		case '\t':
			p.out = append(p.out, `\t`...)
		default:
			const digits = "0123456789abcdef"
			p.out = append(p.out, `\u00`...)
			p.out = append(p.out, digits[c>>4], digits[c&15])
		}
	}
	p.out = append(append(p.out, s[plain:]...), '"')
	return p.room(0)
}
