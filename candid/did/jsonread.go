package did

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

func (r *jsonReader) args(types []*candid.Type) ([]candid.Value, *jsonFault) {
	if r.PeekKind() != jsontext.KindBeginArray {
		return nil, unfit(r.read(), "an array of the "+strconv.Itoa(len(types))+" arguments: one argument is an array of one")
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
	if fault = cmp.Or(fault, r.end()); fault != nil {
		return nil, fault
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

func unfit(raw jsontext.Value, expected string) *jsonFault {
	return &jsonFault{reason: cut(string(raw)) + " is not " + expected}
}

// misfit reads the current value to report that it is not of the type.
func (r *jsonReader) misfit(t *candid.Type) *jsonFault { return unfit(r.read(), valueOf(t)) }

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
	if r.depth++; r.depth > candid.MaxDepth {
		return nil, tooDeep()
	}
	defer func() { r.depth-- }()
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
		r.read()
		return candid.Reserved{}, nil
	case candid.KindNull:
		if r.PeekKind() == jsontext.KindNull {
			r.read()
			return candid.Null{}, nil
		}
	case candid.KindBool:
		if kind := r.PeekKind(); kind == jsontext.KindTrue || kind == jsontext.KindFalse {
			r.read()
			return candid.Bool(kind == jsontext.KindTrue), nil
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
		if r.PeekKind() == jsontext.KindNull {
			r.read()
			return candid.Opt{}, nil
		}
		v, fault := r.value(t.Elem())
		return candid.Opt{Value: v}, fault
	}
	if r.PeekKind() != jsontext.KindBeginArray {
		return nil, unfit(r.read(), valueOf(t)+": [] or [value], because the value could be null itself")
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
	if r.PeekKind() != jsontext.KindBeginArray {
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
	switch r.PeekKind() {
	case jsontext.KindString:
		raw := r.read()
		blob, err := hex.DecodeString(unquoted(raw))
		if err != nil {
			return nil, unfit(raw, valueOf(t)+" in hexadecimal digits")
		}
		return candid.Blob(blob), nil
	case jsontext.KindBeginArray:
		blob := candid.Blob{}
		fault := r.array(func(int) *jsonFault {
			b, fault := r.integer(candid.KindNat8.Type())
			if fault == nil {
				blob = append(blob, byte(b.(candid.Nat8)))
			}
			return fault
		})
		return blob, fault
	case jsontext.KindBeginObject:
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
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(texts["base64"], "="))
	if err != nil {
		return nil, (&jsonFault{reason: strconv.Quote(cut(texts["base64"])) + " is not base64"}).under("base64")
	}
	return candid.Blob(raw), nil
}

// strings reads an object with these keys, each with a string.
func (r *jsonReader) strings(t *candid.Type, keys ...string) (map[string]string, *jsonFault) {
	texts := make(map[string]string)
	fault := r.object(func(key string) *jsonFault {
		if _, twice := texts[key]; twice || !slices.Contains(keys, key) {
			return r.fail("the key " + strconv.Quote(cut(key)) + " is given twice or not part of " + valueOf(t))
		}
		raw := r.read()
		if raw.Kind() != jsontext.KindString {
			return unfit(raw, "a string").under(key)
		}
		texts[key] = unquoted(raw)
		return nil
	})
	for _, key := range keys {
		if _, ok := texts[key]; fault == nil && !ok {
			fault = &jsonFault{reason: "the key " + strconv.Quote(key) + " of " + valueOf(t) + " is missing"}
		}
	}
	return texts, fault
}

func (r *jsonReader) record(t *candid.Type) (candid.Value, *jsonFault) {
	fields := t.Fields()
	record := make(candid.Record, len(fields))
	var fault *jsonFault
	switch kind := r.PeekKind(); {
	case kind == jsontext.KindBeginArray && tuple(fields):
		fault = r.tuple(fields, record)
	case kind == jsontext.KindBeginObject:
		fault = r.fields(t, record)
	default:
		fault = r.misfit(t)
	}
	if fault != nil {
		return nil, fault
	}
	for i, f := range fields {
		record[i].Label = f.Label
		if record[i].Value != nil {
			continue
		}
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
	return r.object(func(key string) (fault *jsonFault) {
		i := byKey(fields, key)
		switch {
		case i < 0:
			fault = &jsonFault{reason: cut(t.String()) + " has no such field"}
		case record[i].Value != nil:
			fault = &jsonFault{reason: "the field is given twice"}
		default:
			record[i].Value, fault = r.value(fields[i].Type)
		}
		return fault.under(key)
	})
}

func (r *jsonReader) variant(t *candid.Type) (candid.Value, *jsonFault) {
	switch r.PeekKind() {
	case jsontext.KindString:
		key := unquoted(r.read())
		chosen, fault := caseOf(t, key)
		if fault == nil && chosen.Type.Kind() != candid.KindNull {
			reason := valueOf(chosen.Type) + " is missing: write " + strconv.Quote(cut(key)) + " as the key of an object"
			fault = (&jsonFault{reason: reason}).under(key)
		}
		return candid.Variant{Label: chosen.Label, Value: candid.Null{}}, fault
	case jsontext.KindBeginObject:
		var v candid.Variant
		fault := r.object(func(key string) *jsonFault {
			if v.Value != nil {
				return r.fail("a variant is an object of one key")
			}
			chosen, fault := caseOf(t, key)
			if fault != nil {
				return fault
			}
			v.Label = chosen.Label
			v.Value, fault = r.value(chosen.Type)
			return fault.under(key)
		})
		if fault == nil && v.Value == nil {
			fault = &jsonFault{reason: "{} is not " + valueOf(t) + ": the case is missing"}
		}
		return v, fault
	}
	return nil, r.misfit(t)
}

// caseOf returns the case of a variant with this key.
func caseOf(t *candid.Type, key string) (candid.Field, *jsonFault) {
	if i := byKey(t.Fields(), key); i >= 0 {
		return t.Fields()[i], nil
	}
	return candid.Field{}, &jsonFault{reason: cut(t.String()) + " has no case " + strconv.Quote(cut(key))}
}

func (r *jsonReader) method(t *candid.Type) (candid.Value, *jsonFault) {
	if r.PeekKind() != jsontext.KindBeginObject {
		return nil, r.misfit(t)
	}
	texts, fault := r.strings(t, "canister", "method")
	if fault != nil {
		return nil, fault
	}
	id, err := principal.Parse(texts["canister"])
	if err != nil {
		return nil, (&jsonFault{reason: strconv.Quote(cut(texts["canister"])) + " is not a principal: " + err.Error()}).under("canister")
	}
	return candid.Func{Service: id, Method: texts["method"]}, nil
}

// textual reads the types whose values are strings.
func (r *jsonReader) textual(t *candid.Type) (candid.Value, *jsonFault) {
	raw := r.read()
	if raw.Kind() != jsontext.KindString {
		return nil, unfit(raw, valueOf(t))
	}
	text := unquoted(raw)
	if t.Kind() == candid.KindText {
		return candid.Text(text), nil
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
