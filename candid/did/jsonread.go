package did

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// jsonReader reads JSON at types. fills is how many more absent fields may be filled in.
type jsonReader struct {
	jsonScanner
	fills int
}

func (r *jsonReader) args(types []*candid.Type) ([]candid.Value, *jsonFault) {
	if c := r.next(); c != '[' {
		if r.pos == len(r.in) {
			return nil, r.unexpected("an array of arguments")
		}
		return nil, r.unfit("an array of the " + strconv.Itoa(len(types)) + " arguments: one argument is an array of one")
	}
	values := make([]candid.Value, 0, len(types))
	fault := r.array(func(i int) *jsonFault {
		if i >= len(types) {
			return r.fail("at most " + strconv.Itoa(len(types)) + " arguments are expected")
		}
		v, fault := r.value(types[i])
		values = append(values, v)
		return fault
	})
	if fault != nil {
		return nil, fault
	}
	if r.next(); r.pos != len(r.in) {
		return nil, r.unexpected("the end")
	}
	for i := len(values); i < len(types); i++ {
		v, fault := r.absent(types[i])
		if fault != nil {
			return nil, fault.at(i)
		}
		values = append(values, v)
	}
	return values, nil
}

// unfit reads the current value to report that it is not what is expected.
func (r *jsonReader) unfit(expected string) *jsonFault {
	r.next()
	start := r.pos
	if fault := r.skip(); fault != nil {
		return fault
	}
	return &jsonFault{reason: cut(string(r.in[start:r.pos])) + " is not " + expected}
}

func (r *jsonReader) misfit(t *candid.Type) *jsonFault { return r.unfit(valueOf(t)) }

// valueOf returns the type for an error message.
func valueOf(t *candid.Type) string { return "a value of type " + cut(t.String()) }

func (r *jsonReader) absent(t *candid.Type) (candid.Value, *jsonFault) {
	if r.fills--; r.fills < 0 {
		return nil, &jsonFault{limit: true, reason: "too many fields are absent for a text of this length"}
	}
	switch t.Kind() {
	case candid.KindOpt:
		return candid.Opt{}, nil
	case candid.KindNull:
		return candid.Null{}, nil
	case candid.KindReserved, candid.KindFuture:
		return candid.Reserved{}, nil
	}
	return nil, &jsonFault{reason: valueOf(t) + " is missing"}
}

func (r *jsonReader) value(t *candid.Type) (candid.Value, *jsonFault) {
	if fault := r.enter(); fault != nil {
		return nil, fault
	}
	defer r.leave()
	switch t.Kind() {
	case candid.KindOpt:
		return r.opt(t)
	case candid.KindVec:
		if t.IsBlob() {
			return r.blob(t)
		}
		return r.vec(t)
	case candid.KindRecord:
		return r.record(t)
	case candid.KindVariant:
		return r.variant(t)
	case candid.KindFunc:
		return r.method(t)
	case candid.KindText, candid.KindPrincipal, candid.KindService:
		return r.textual(t)
	case candid.KindReserved, candid.KindFuture:
		return candid.Reserved{}, r.skip()
	case candid.KindNull:
		if r.word("null") {
			return candid.Null{}, nil
		}
	case candid.KindBool:
		if r.word("true") {
			return candid.Bool(true), nil
		}
		if r.word("false") {
			return candid.Bool(false), nil
		}
	case candid.KindFloat32, candid.KindFloat64:
		return r.float(t)
	case candid.KindEmpty:
	default:
		return r.integer(t)
	}
	return nil, r.misfit(t)
}

func (r *jsonReader) opt(t *candid.Type) (candid.Value, *jsonFault) {
	if !canBeNull(t.Elem()) {
		if r.word("null") {
			return candid.Opt{}, nil
		}
		v, fault := r.value(t.Elem())
		return candid.Opt{Value: v}, fault
	}
	if r.next() != '[' {
		return nil, r.unfit(valueOf(t) + ": [] or [value], because the value could be null itself")
	}
	var o candid.Opt
	fault := r.array(func(i int) (fault *jsonFault) {
		if i > 0 {
			return r.fail("an option holds at most one value")
		}
		o.Value, fault = r.value(t.Elem())
		return fault
	})
	return o, fault
}

func (r *jsonReader) vec(t *candid.Type) (candid.Value, *jsonFault) {
	if r.next() != '[' {
		return nil, r.misfit(t)
	}
	vec, elem := candid.Vec{}, t.Elem()
	fault := r.array(func(int) *jsonFault {
		v, fault := r.value(elem)
		vec = append(vec, v)
		return fault
	})
	return vec, fault
}

func (r *jsonReader) blob(t *candid.Type) (candid.Value, *jsonFault) {
	switch r.next() {
	case '"':
		start := r.pos
		digits, fault := r.text()
		if fault != nil {
			return nil, fault
		}
		raw, err := hex.DecodeString(digits)
		if err != nil {
			return nil, &jsonFault{reason: cut(string(r.in[start:r.pos])) + " is not " + valueOf(t) + " in hexadecimal digits"}
		}
		return candid.Blob(raw), nil
	case '[':
		blob := candid.Blob{}
		fault := r.array(func(int) *jsonFault {
			b, fault := r.integer(candid.KindNat8.Type())
			if fault == nil {
				blob = append(blob, byte(b.(candid.Nat8)))
			}
			return fault
		})
		return blob, fault
	case '{':
		return r.base64(t)
	}
	return nil, r.misfit(t)
}

// base64 reads {"base64": "…"}, padded or not.
func (r *jsonReader) base64(t *candid.Type) (candid.Value, *jsonFault) {
	texts, fault := r.strings(t, "base64")
	if fault != nil {
		return nil, fault
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(texts[0], "="))
	if err != nil {
		return nil, (&jsonFault{reason: strconv.Quote(cut(texts[0])) + " is not base64"}).under("base64")
	}
	return candid.Blob(raw), nil
}

// strings reads an object with these keys, each with a string.
func (r *jsonReader) strings(t *candid.Type, keys ...string) ([]string, *jsonFault) {
	texts, got := make([]string, len(keys)), make([]bool, len(keys))
	fault := r.object(func(key string) (fault *jsonFault) {
		for i := range keys {
			if keys[i] != key || got[i] {
				continue
			}
			got[i] = true
			if r.next() != '"' {
				return r.unfit("a string").under(key)
			}
			if texts[i], fault = r.text(); fault != nil {
				return fault.under(key)
			}
			return nil
		}
		return r.fail("the key " + strconv.Quote(cut(key)) + " is given twice or not part of " + valueOf(t))
	})
	for i := range keys {
		if fault == nil && !got[i] {
			fault = &jsonFault{reason: "the key " + strconv.Quote(keys[i]) + " of " + valueOf(t) + " is missing"}
		}
	}
	return texts, fault
}

func (r *jsonReader) record(t *candid.Type) (candid.Value, *jsonFault) {
	fields := t.Fields()
	record := make(candid.Record, len(fields))
	switch c := r.next(); {
	case c == '[' && tuple(fields):
		if fault := r.tuple(fields, record); fault != nil {
			return nil, fault
		}
	case c == '{':
		if fault := r.fields(t, record); fault != nil {
			return nil, fault
		}
	default:
		return nil, r.misfit(t)
	}
	for i, f := range fields {
		record[i].Label = f.Label
		if record[i].Value != nil {
			continue
		}
		var fault *jsonFault
		if record[i].Value, fault = r.absent(f.Type); fault != nil {
			return nil, fault.under(keyOf(f.Label))
		}
	}
	return record, nil
}

func (r *jsonReader) tuple(fields []candid.Field, record candid.Record) *jsonFault {
	return r.array(func(i int) (fault *jsonFault) {
		if i >= len(fields) {
			return r.fail("the tuple has " + strconv.Itoa(len(fields)) + " elements")
		}
		record[i].Value, fault = r.value(fields[i].Type)
		return fault
	})
}

func (r *jsonReader) fields(t *candid.Type, record candid.Record) *jsonFault {
	fields := t.Fields()
	return r.object(func(key string) *jsonFault {
		i := byKey(fields, key)
		if i < 0 {
			return (&jsonFault{reason: cut(t.String()) + " has no such field"}).under(key)
		}
		if record[i].Value != nil {
			return (&jsonFault{reason: "the field is given twice"}).under(key)
		}
		v, fault := r.value(fields[i].Type)
		if fault != nil {
			return fault.under(key)
		}
		record[i].Value = v
		return nil
	})
}

func (r *jsonReader) variant(t *candid.Type) (candid.Value, *jsonFault) {
	cases := t.Fields()
	var v candid.Variant
	choose := func(key string) (*candid.Type, *jsonFault) {
		i := byKey(cases, key)
		if i < 0 {
			return nil, &jsonFault{reason: cut(t.String()) + " has no case " + strconv.Quote(cut(key))}
		}
		v.Label = cases[i].Label
		return cases[i].Type, nil
	}
	switch r.next() {
	case '"':
		key, fault := r.text()
		if fault != nil {
			return nil, fault
		}
		inner, fault := choose(key)
		if fault == nil && inner.Kind() != candid.KindNull {
			fault = (&jsonFault{reason: valueOf(inner) + " is missing: write " + strconv.Quote(cut(key)) + " as the key of an object"}).under(key)
		}
		v.Value = candid.Null{}
		return v, fault
	case '{':
		fault := r.object(func(key string) *jsonFault {
			if v.Value != nil {
				return r.fail("a variant is an object of one key")
			}
			inner, fault := choose(key)
			if fault != nil {
				return fault
			}
			if v.Value, fault = r.value(inner); fault != nil {
				return fault.under(key)
			}
			return nil
		})
		if fault == nil && v.Value == nil {
			fault = &jsonFault{reason: "{} is not " + valueOf(t) + ": the case is missing"}
		}
		return v, fault
	}
	return nil, r.misfit(t)
}

func (r *jsonReader) method(t *candid.Type) (candid.Value, *jsonFault) {
	if r.next() != '{' {
		return nil, r.misfit(t)
	}
	texts, fault := r.strings(t, "canister", "method")
	if fault != nil {
		return nil, fault
	}
	id, err := principal.Parse(texts[0])
	if err != nil {
		return nil, (&jsonFault{reason: strconv.Quote(cut(texts[0])) + " is not a principal: " + err.Error()}).under("canister")
	}
	return candid.Func{Service: id, Method: texts[1]}, nil
}

// textual reads the types whose values are strings.
func (r *jsonReader) textual(t *candid.Type) (candid.Value, *jsonFault) {
	if r.next() != '"' {
		return nil, r.misfit(t)
	}
	text, fault := r.text()
	if fault != nil || t.Kind() == candid.KindText {
		return candid.Text(text), fault
	}
	id, err := principal.Parse(text)
	if err != nil {
		return nil, &jsonFault{reason: strconv.Quote(cut(text)) + " is not " + valueOf(t) + ": " + err.Error()}
	}
	if t.Kind() == candid.KindService {
		return candid.Service(id), nil
	}
	return candid.Principal(id), nil
}
