package candid

import (
	"encoding/binary"
	"math"
	"math/big"
	"reflect"
)

// pointer returns v as a pointer to its Go type, without an allocation if v is addressable.
func pointer[T any](v reflect.Value) *T {
	if v.CanAddr() {
		return v.Addr().Interface().(*T)
	}
	held := v.Interface().(T)
	return &held
}

// tooLarge returns the error of a number that is a valid nat or int but does not fit the Go value. It must not turn
// into null under an option.
func (d *decoder) tooLarge(number, goType string) error {
	return &DecodeError{Kind: Mismatch, Offset: d.pos, Reason: clip(number) + " does not fit " + goType}
}

// natAt reads a nat where one is expected.
func (d *decoder) natAt(got *Type) (Nat, error) {
	if got.kind != KindNat {
		return Nat{}, d.mismatch(got, primitives[KindNat], "")
	}
	return d.nat()
}

// intAt reads an int, or a nat as one.
func (d *decoder) intAt(got *Type) (Int, error) {
	switch got.kind {
	case KindInt:
		return d.int()
	case KindNat:
		n, err := d.nat()
		return n.Int(), err
	}
	return Int{}, d.mismatch(got, primitives[KindInt], "")
}

// wordAt reads a number of fixed size, including bool.
func (d *decoder) wordAt(got, want *Type) (uint64, error) {
	if got.kind != want.kind {
		return 0, d.mismatch(got, want, "")
	}
	if want.kind == KindBool {
		b, err := d.flag("a bool")
		if b {
			return 1, err
		}
		return 0, err
	}
	return d.word(want.kind)
}

func (p *plan) nat() {
	p.typ = primitives[KindNat]
	p.write = func(e *encoder, v reflect.Value) error {
		e.buf = appendNat(e.buf, *pointer[Nat](v))
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) (err error) {
		*pointer[Nat](v), err = d.natAt(got)
		return err
	}
}

func (p *plan) int() {
	p.typ = primitives[KindInt]
	p.write = func(e *encoder, v reflect.Value) error {
		e.buf = appendInt(e.buf, *pointer[Int](v))
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) (err error) {
		*pointer[Int](v), err = d.intAt(got)
		return err
	}
}

// big plans big.Int, an int unless kind is nat.
func (p *plan) big(kind Kind) {
	if kind == KindNat {
		p.typ = primitives[KindNat]
		p.write = func(e *encoder, v reflect.Value) error {
			n, err := NatOfBig(pointer[big.Int](v))
			e.buf = appendNat(e.buf, n)
			return err
		}
		p.read = func(d *decoder, got *Type, v reflect.Value) error {
			n, err := d.natAt(got)
			pointer[big.Int](v).Set(n.Big())
			return err
		}
		return
	}
	p.typ = primitives[KindInt]
	p.write = func(e *encoder, v reflect.Value) error {
		e.buf = appendInt(e.buf, IntOfBig(pointer[big.Int](v)))
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		i, err := d.intAt(got)
		pointer[big.Int](v).Set(i.Big())
		return err
	}
}

func (p *plan) bool() {
	p.typ = primitives[KindBool]
	p.write = func(e *encoder, v reflect.Value) error {
		if v.Bool() {
			e.buf = append(e.buf, 1)
		} else {
			e.buf = append(e.buf, 0)
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		w, err := d.wordAt(got, p.typ)
		v.SetBool(w == 1)
		return err
	}
}

func (p *plan) float(kind Kind) {
	p.typ = primitives[kind]
	p.write = func(e *encoder, v reflect.Value) error {
		if kind == KindFloat32 {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, math.Float32bits(float32(v.Float())))
		} else {
			e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v.Float()))
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		w, err := d.wordAt(got, p.typ)
		if kind == KindFloat32 {
			v.SetFloat(float64(math.Float32frombits(uint32(w))))
		} else {
			v.SetFloat(math.Float64frombits(w))
		}
		return err
	}
}

// fixedKinds are the Candid kinds of Go's integers of fixed size.
var fixedKinds = [...]Kind{
	reflect.Int8: KindInt8, reflect.Int16: KindInt16, reflect.Int32: KindInt32, reflect.Int64: KindInt64,
	reflect.Uint8: KindNat8, reflect.Uint16: KindNat16, reflect.Uint32: KindNat32, reflect.Uint64: KindNat64,
}

// unsigned plans Go's unsigned integers: of fixed size, or a nat or int.
func (p *plan) unsigned(t reflect.Type, kind Kind) {
	if kind == 0 {
		kind = fixedKinds[t.Kind()]
	}
	if t.Kind() == reflect.Uint && kind == 0 {
		kind = KindNat
	}
	p.typ = primitives[kind]
	p.write = func(e *encoder, v reflect.Value) error {
		switch n := v.Uint(); kind {
		case KindNat:
			e.buf = appendUleb(e.buf, n)
		case KindInt:
			e.buf = appendInt(e.buf, NatOf(n).Int())
		default:
			e.word(n, fixedSize[kind])
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if fixedSize[kind] > 0 {
			w, err := d.wordAt(got, p.typ)
			v.SetUint(w)
			return err
		}
		n, fits, err := d.uintAt(got, kind)
		if err != nil {
			return err
		}
		w, small := n.Uint64()
		if !fits || !small || v.OverflowUint(w) {
			return d.tooLarge("the number", t.String())
		}
		v.SetUint(w)
		return nil
	}
}

// uintAt reads a nat or int; fits is false for a negative int.
func (d *decoder) uintAt(got *Type, kind Kind) (n Nat, fits bool, err error) {
	if kind == KindNat {
		n, err = d.natAt(got)
		return n, true, err
	}
	i, err := d.intAt(got)
	n, fits = i.nat()
	return n, fits, err
}

// signed plans Go's signed integers: of fixed size, or an int. As a nat, they must not be negative.
func (p *plan) signed(t reflect.Type, kind Kind) {
	if kind == 0 {
		kind = fixedKinds[t.Kind()]
	}
	if t.Kind() == reflect.Int && kind == 0 {
		kind = KindInt
	}
	p.typ = primitives[kind]
	p.write = func(e *encoder, v reflect.Value) error {
		switch i := v.Int(); kind {
		case KindNat:
			if i < 0 {
				return misfit(IntOf(i), p.typ)
			}
			e.buf = appendUleb(e.buf, uint64(i))
		case KindInt:
			e.buf = appendSleb(e.buf, i)
		default:
			e.word(uint64(i), fixedSize[kind])
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, v reflect.Value) error {
		if fixedSize[kind] > 0 {
			w, err := d.wordAt(got, p.typ)
			shift := 64 - 8*uint(fixedSize[kind])
			v.SetInt(int64(w<<shift) >> shift)
			return err
		}
		i, err := d.sintAt(got, kind)
		if err != nil {
			return err
		}
		w, small := i.Int64()
		if !small || v.OverflowInt(w) {
			return d.tooLarge(i.String(), t.String())
		}
		v.SetInt(w)
		return nil
	}
}

func (d *decoder) sintAt(got *Type, kind Kind) (Int, error) {
	if kind == KindNat {
		n, err := d.natAt(got)
		return n.Int(), err
	}
	return d.intAt(got)
}

// word appends the low bytes of w.
func (e *encoder) word(w uint64, size uint8) {
	switch size {
	case 1:
		e.buf = append(e.buf, byte(w))
	case 2:
		e.buf = binary.LittleEndian.AppendUint16(e.buf, uint16(w))
	case 4:
		e.buf = binary.LittleEndian.AppendUint32(e.buf, uint32(w))
	case 8:
		e.buf = binary.LittleEndian.AppendUint64(e.buf, w)
	}
}
