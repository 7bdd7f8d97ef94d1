package candid

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"unsafe"
)

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
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.buf = appendNat(e.buf, *(*Nat)(at))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) (err error) {
		*(*Nat)(at), err = d.natAt(got)
		return err
	}
}

func (p *plan) int() {
	p.typ = primitives[KindInt]
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.buf = appendInt(e.buf, *(*Int)(at))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) (err error) {
		*(*Int)(at), err = d.intAt(got)
		return err
	}
}

// big plans big.Int, an int unless kind is nat.
func (p *plan) big(kind Kind) {
	if kind == KindNat {
		p.typ = primitives[KindNat]
		p.write = func(e *encoder, at unsafe.Pointer) error {
			n, err := NatOfBig((*big.Int)(at))
			e.buf = appendNat(e.buf, n)
			return err
		}
		p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
			n, err := d.natAt(got)
			(*big.Int)(at).Set(n.Big())
			return err
		}
		return
	}
	p.typ = primitives[KindInt]
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.buf = appendInt(e.buf, IntOfBig((*big.Int)(at)))
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		i, err := d.intAt(got)
		(*big.Int)(at).Set(i.Big())
		return err
	}
}

func (p *plan) bool() {
	p.typ = primitives[KindBool]
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.buf = append(e.buf, *(*byte)(at)) // a bool of Go is 0 or 1
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		w, err := d.wordAt(got, p.typ)
		*(*bool)(at) = w == 1
		return err
	}
}

// fixed plans numbers whose bytes in Go's memory are those of the message, except for their order.
func (p *plan) fixed(kind Kind) {
	size := fixedSize[kind]
	p.typ, p.form, p.size = primitives[kind], formFixed, size
	p.write = func(e *encoder, at unsafe.Pointer) error {
		e.word(load(at, size), size)
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		w, err := d.wordAt(got, p.typ)
		store(at, size, w)
		return err
	}
}

// load returns the unsigned number of size bytes at the address.
func load(at unsafe.Pointer, size uint8) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(at))
	case 2:
		return uint64(*(*uint16)(at))
	case 4:
		return uint64(*(*uint32)(at))
	}
	return *(*uint64)(at)
}

// store sets the number of size bytes at the address to the low bytes of w.
func store(at unsafe.Pointer, size uint8, w uint64) {
	switch size {
	case 1:
		*(*uint8)(at) = uint8(w)
	case 2:
		*(*uint16)(at) = uint16(w)
	case 4:
		*(*uint32)(at) = uint32(w)
	default:
		*(*uint64)(at) = w
	}
}

// signExtended returns the signed number whose size low bytes are those of w.
func signExtended(w uint64, size uint8) int64 {
	unused := 64 - 8*uint(size)
	return int64(w<<unused) >> unused
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
	if fixedSize[kind] > 0 {
		p.fixed(kind)
		return
	}
	p.typ = primitives[kind]
	size := uint8(t.Size())
	if kind == KindNat && size == 8 {
		p.form = formNat64
	}
	p.write = func(e *encoder, at unsafe.Pointer) error {
		n := load(at, size)
		if kind == KindNat {
			e.uleb(n)
		} else {
			e.buf = appendInt(e.buf, NatOf(n).Int())
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		n, fits, err := d.uintAt(got, kind)
		if err != nil {
			return err
		}
		if unused := 64 - 8*size; !fits || n<<unused>>unused != n {
			return d.tooLarge("the number", t.String())
		}
		store(at, size, n)
		return nil
	}
}

// uintAt reads a nat or int; fits is false if it is negative or has more than 64 bits.
func (d *decoder) uintAt(got *Type, kind Kind) (n uint64, fits bool, err error) {
	if got.kind == KindNat {
		if n, ok := d.smallNat(); ok {
			return n, true, nil
		}
	}
	if kind == KindNat {
		large, err := d.natAt(got)
		n, fits = large.Uint64()
		return n, fits, err
	}
	i, err := d.intAt(got)
	large, positive := i.nat()
	n, fits = large.Uint64()
	return n, fits && positive, err
}

// signed plans Go's signed integers: of fixed size, or an int. As a nat, they must not be negative.
func (p *plan) signed(t reflect.Type, kind Kind) {
	if kind == 0 {
		kind = fixedKinds[t.Kind()]
	}
	if t.Kind() == reflect.Int && kind == 0 {
		kind = KindInt
	}
	if fixedSize[kind] > 0 {
		p.fixed(kind)
		return
	}
	p.typ = primitives[kind]
	size := uint8(t.Size())
	p.write = func(e *encoder, at unsafe.Pointer) error {
		i := signExtended(load(at, size), size)
		switch {
		case kind == KindInt:
			e.buf = appendSleb(e.buf, i)
		case i < 0:
			return misfit(IntOf(i), p.typ)
		default:
			e.uleb(uint64(i))
		}
		return nil
	}
	p.read = func(d *decoder, got *Type, at unsafe.Pointer) error {
		i, err := d.sintAt(got, kind)
		if err != nil {
			return err
		}
		w, small := i.Int64()
		if !small || signExtended(uint64(w), size) != w {
			return d.tooLarge(i.String(), t.String())
		}
		store(at, size, uint64(w))
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
func (e *encoder) word(w uint64, size uint8) { e.buf = appendWord(e.buf, w, size) }

func appendWord(b []byte, w uint64, size uint8) []byte {
	switch size {
	case 1:
		return append(b, byte(w))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(w))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(w))
	case 8:
		return binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
