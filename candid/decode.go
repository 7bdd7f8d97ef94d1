package candid

import (
	"encoding/binary"
	"math"
)

// Decode reads a message at the types it was written with. Labels have ids and no names. The error is a *[DecodeError].
func Decode(message []byte) ([]Value, []*Type, error) {
	d := &valueDecoder{decoder: decoder{in: message}}
	if err := d.header(); err != nil {
		return nil, nil, err
	}
	d.skips = d.quota
	values := make([]Value, len(d.args))
	for i, t := range d.args {
		v, err := d.value(t)
		if err != nil {
			return nil, nil, err
		}
		values[i] = v
	}
	return values, d.args, d.end()
}

// value reads one value of the wire type t.
func (d *valueDecoder) value(t *Type) (Value, error) {
	if v := d.commonValue(t, t); v != nil {
		return v, nil
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	v, err := d.valueOf(t)
	d.leave()
	return v, err
}

// commonValue reads a short value of one of the most frequent kinds and charges for it: it needs none of the calls of the
// general way. It reads nothing and returns nil if the value is another one, or has a fault.
func (d *valueDecoder) commonValue(got, want *Type) (v Value) {
	if got.kind != want.kind || d.pos == len(d.in) || d.quota == 0 || d.depth >= MaxDepth {
		return nil
	}
	switch got.kind {
	case KindText:
		text, end := d.textAt(d.pos)
		if end == 0 {
			return nil
		}
		d.pos = end
		v = d.textValue(text)
	case KindNat:
		n, size := shortNat(d.in[d.pos:])
		if size == 0 {
			return nil
		}
		d.pos += size
		v = box(&d.boxes.nats, NatOf(n), boxedNat)
	case KindOpt:
		if d.in[d.pos] != 0 {
			return nil
		}
		d.pos++
		v = Opt{}
	default:
		return nil
	}
	d.quota--
	return v
}

func (d *valueDecoder) valueOf(t *Type) (Value, error) {
	switch t.kind {
	case KindOpt:
		some, err := d.flag("an option")
		if err != nil || !some {
			return Opt{}, err
		}
		v, err := d.value(t.elem)
		return Opt{v}, err
	case KindVec:
		return d.vec(t)
	case KindRecord:
		return d.record(t)
	case KindVariant:
		f, err := d.tag(t)
		if err != nil {
			return nil, err
		}
		v, err := d.value(f.Type)
		return Variant{f.Label, v}, err
	case KindService:
		p, err := d.principal()
		return Service(p), err
	case KindFunc:
		return d.fn()
	case KindFuture:
		return Reserved{}, d.skipFuture()
	}
	return d.primitive(t)
}

func (d *valueDecoder) vec(t *Type) (Value, error) {
	n, err := d.length()
	if err != nil {
		return nil, err
	}
	if t.elem.kind == KindNat8 {
		return d.blob(n)
	}
	vec := make(Vec, 0, d.room(n))
	for range n {
		v, err := d.value(t.elem)
		if err != nil {
			return nil, err
		}
		vec = append(vec, v)
	}
	return vec, nil
}

func (d *decoder) blob(n int) (Blob, error) {
	raw, err := d.take(uint64(n))
	if err != nil {
		return nil, err
	}
	if d.inPlace {
		return raw[:n:n], nil
	}
	return append(make(Blob, 0, n), raw...), nil
}

func (d *valueDecoder) record(t *Type) (Value, error) {
	record := d.newRecord(len(t.fields))
	for i := range t.fields {
		f := &t.fields[i]
		v, err := d.value(f.Type)
		if err != nil {
			return nil, err
		}
		record = record.with(f.Label, v)
	}
	return box(&d.boxes.records, record, boxedRecord), nil
}

// newRecord returns an empty record with room for n fields, or for as many as are allocated based on a number alone.
func (d *valueDecoder) newRecord(n int) Record {
	return Record(d.fields.take(min(n, maxPrealloc)))[:0]
}

// with appends a field. It writes the parts of the field one by one: a copy of all of it would look up the bits of its
// pointers while garbage is collected.
func (r Record) with(l Label, v Value) Record {
	n := len(r)
	if n == cap(r) {
		return append(r, FieldValue{l, v})
	}
	r = r[:n+1]
	r[n].Label, r[n].Value = l, v
	return r
}

// primitive reads one value of a primitive type.
func (d *valueDecoder) primitive(t *Type) (Value, error) {
	switch t.kind {
	case KindNull:
		return Null{}, d.charge(costOfNothing)
	case KindReserved:
		return Reserved{}, d.charge(costOfNothing)
	case KindBool:
		b, err := d.flag("a bool")
		return Bool(b), err
	case KindNat:
		return boxed(d.nat())
	case KindInt:
		return boxed(d.int())
	case KindText:
		text, err := d.string()
		return Text(text), err
	case KindPrincipal:
		p, err := d.principal()
		return Principal(p), err
	case KindEmpty:
		return nil, d.noValue()
	}
	return d.fixed(t.kind)
}

func boxed[V Value](v V, err error) (Value, error) { return v, err }

// fixedSize is the number of bytes of a value of a kind of fixed size, 0 for other kinds.
var fixedSize = [kindCount]uint8{
	KindBool: 1,
	KindNat8: 1, KindNat16: 2, KindNat32: 4, KindNat64: 8,
	KindInt8: 1, KindInt16: 2, KindInt32: 4, KindInt64: 8,
	KindFloat32: 4, KindFloat64: 8,
}

// word reads a number of fixed size as the low bits of 64.
func (d *decoder) word(kind Kind) (uint64, error) {
	raw, err := d.take(uint64(fixedSize[kind]))
	if err != nil {
		return 0, err
	}
	return wordOf(raw), nil
}

// wordOf returns the number in 1, 2, 4 or 8 bytes, as the low bits of 64.
func wordOf(raw []byte) uint64 {
	switch len(raw) {
	case 1:
		return uint64(raw[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(raw))
	case 4:
		return uint64(binary.LittleEndian.Uint32(raw))
	}
	return binary.LittleEndian.Uint64(raw)
}

func (d *decoder) fixed(kind Kind) (Value, error) {
	w, err := d.word(kind)
	if err != nil {
		return nil, err
	}
	return ofWord(kind, w), nil
}

// ofWord returns the value of a kind of fixed size whose bits are the low bits of w.
func ofWord(kind Kind, w uint64) Value {
	switch kind {
	case KindNat8:
		return Nat8(w)
	case KindNat16:
		return Nat16(w)
	case KindNat32:
		return Nat32(w)
	case KindNat64:
		return Nat64(w)
	case KindInt8:
		return Int8(w)
	case KindInt16:
		return Int16(w)
	case KindInt32:
		return Int32(w)
	case KindInt64:
		return Int64(w)
	case KindFloat32:
		return Float32(math.Float32frombits(uint32(w)))
	case KindFloat64:
		return Float64(math.Float64frombits(w))
	}
	panic("candid: a value of kind " + kind.String() + " reached the numbers of fixed size")
}
