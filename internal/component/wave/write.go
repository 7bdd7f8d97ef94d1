package wave

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/canisterd/canisterd/component"
)

// Write writes a value of a type. Values without a text are written as their type in angle brackets.
func Write(v any, t component.Type) string {
	w := &writer{}
	w.value(v, t)
	return w.String()
}

type writer struct{ strings.Builder }

func (w *writer) value(v any, t component.Type) {
	switch v := v.(type) {
	case float32:
		w.float(float64(v), 32)
	case float64:
		w.float(v, 64)
	case component.Char:
		w.quoted(string(rune(v)), '\'')
	case string:
		w.quoted(v, '"')
	case []byte:
		w.sequence('[', ']', len(v), func(i int) { w.WriteString(strconv.Itoa(int(v[i]))) })
	case []any:
		w.elements(v, t)
	case component.Enum:
		w.caseLabel(t.Fields()[v].Name)
	case component.Flags:
		w.flags(v, t)
	case component.Variant:
		w.variant(v, t)
	case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		fmt.Fprint(w, v)
	default:
		fmt.Fprintf(w, "<%s>", t.Kind())
	}
}

func (w *writer) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		w.WriteString("nan")
	case math.IsInf(f, 1):
		w.WriteString("inf")
	case math.IsInf(f, -1):
		w.WriteString("-inf")
	default:
		w.WriteString(strconv.FormatFloat(f, 'f', -1, bits))
	}
}

// quoted writes a string or character. Escapes are those of Rust, which other tools use.
func (w *writer) quoted(text string, quote byte) {
	w.WriteByte(quote)
	for _, r := range text {
		switch {
		case strings.ContainsRune("\\\"'", r):
			w.WriteByte('\\')
			w.WriteRune(r)
		case r == '\t':
			w.WriteString(`\t`)
		case r == '\r':
			w.WriteString(`\r`)
		case r == '\n':
			w.WriteString(`\n`)
		case r != ' ' && !unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me):
			fmt.Fprintf(w, `\u{%x}`, r)
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte(quote)
}

// sequence writes items between brackets.
func (w *writer) sequence(open, end byte, n int, item func(i int)) {
	w.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}
		item(i)
	}
	w.WriteByte(end)
}

func (w *writer) elements(v []any, t component.Type) {
	fields := t.Fields()
	switch t.Kind() {
	case component.KindRecord:
		w.record(v, fields)
	case component.KindTuple:
		w.sequence('(', ')', len(v), func(i int) { w.value(v[i], fields[i].Type) })
	case component.KindMap:
		w.sequence('[', ']', len(v), func(i int) {
			entry := v[i].([]any)
			w.sequence('(', ')', len(entry), func(i int) { w.value(entry[i], fields[i].Type) })
		})
	default:
		w.sequence('[', ']', len(v), func(i int) { w.value(v[i], t.Element()) })
	}
}

// record writes the fields that are not none.
func (w *writer) record(v []any, fields []component.Field) {
	var there []int
	for i, f := range fields {
		if f.Type.Kind() != component.KindOption || v[i].(component.Variant).Case != 0 {
			there = append(there, i)
		}
	}
	if len(there) == 0 {
		w.WriteString("{:}")
		return
	}
	w.sequence('{', '}', len(there), func(i int) {
		w.WriteString(fields[there[i]].Name + ": ")
		w.value(v[there[i]], fields[there[i]].Type)
	})
}

func (w *writer) flags(v component.Flags, t component.Type) {
	var set []string
	for i, f := range t.Fields() {
		if v>>i&1 != 0 {
			set = append(set, f.Name)
		}
	}
	w.sequence('{', '}', len(set), func(i int) { w.WriteString(set[i]) })
}

func (w *writer) caseLabel(name string) {
	if slices.Contains(keywords, name) {
		w.WriteByte('%')
	}
	w.WriteString(name)
}

func (w *writer) variant(v component.Variant, t component.Type) {
	fields := t.Fields()
	var payload component.Type
	switch t.Kind() {
	case component.KindOption:
		payload = t.Element()
		w.WriteString([]string{"none", "some"}[v.Case])
	case component.KindResult:
		payload = fields[v.Case].Type
		w.WriteString([]string{"ok", "err"}[v.Case])
	default:
		payload = fields[v.Case].Type
		w.caseLabel(fields[v.Case].Name)
	}
	if v.Payload != nil {
		w.WriteByte('(')
		w.value(v.Payload, payload)
		w.WriteByte(')')
	}
}
