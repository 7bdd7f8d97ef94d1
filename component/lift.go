package component

import (
	"math"
	"unicode/utf8"
)

// liftAll gives the values that core values are: the values themselves, or a pointer to a tuple of them in memory.
func (a *abi) liftAll(types []field, flat []uint64, spilled bool) []any {
	values := make([]any, len(types))
	if spilled {
		tuple := tupleOf(types)
		pointer := uint32(flat[0])
		a.checkRange(pointer, tuple.size32.align, tuple.size32.size, "tuple")
		copy(values, a.loadFields(tuple, pointer))
		return values
	}
	for i, f := range types {
		values[i], flat = a.lift(f.typ, flat)
	}
	return values
}

func tupleOf(types []field) *valueType {
	t := &valueType{kind: kindTuple, fields: types}
	t.measure()
	return t
}

// lift gives the value at the beginning of core values, and the core values after it.
func (a *abi) lift(t *valueType, flat []uint64) (any, []uint64) {
	switch t.kind {
	case kindPrimitive:
		if t.prim == primString {
			return a.loadText(uint32(flat[0]), uint32(flat[1])), flat[2:]
		}
		if t.prim == primErrorContext {
			return tableItem[*ErrorContext](a.instance, uint32(flat[0])), flat[1:]
		}
		return liftPrimitive(t.prim, flat[0]), flat[1:]
	case kindRecord, kindTuple:
		values := make([]any, len(t.fields))
		for i, f := range t.fields {
			values[i], flat = a.lift(f.typ, flat)
		}
		return values, flat
	case kindFixedList:
		values := make([]any, t.length)
		for i := range values {
			values[i], flat = a.lift(t.fields[0].typ, flat)
		}
		return values, flat
	case kindList, kindMap:
		return a.loadList(t, uint32(flat[0]), uint32(flat[1])), flat[2:]
	case kindVariant, kindOption, kindResult:
		v := Variant{Case: a.checkCase(t, uint32(flat[0]))}
		if payload := t.payload(v.Case); payload != nil {
			v.Payload, _ = a.lift(payload, flat[1:])
		}
		return v, flat[t.flat:]
	}
	return a.liftSmall(t, uint32(flat[0])), flat[1:]
}

func (a *abi) checkCase(t *valueType, index uint32) uint32 {
	if uint64(index) >= uint64(t.cases()) {
		trap("invalid variant discriminant")
	}
	return index
}

// liftSmall gives a value that is one number: an enum, flags or a handle.
func (a *abi) liftSmall(t *valueType, v uint32) any {
	switch t.kind {
	case kindEnum:
		return Enum(a.checkCase(t, v))
	case kindFlags:
		return Flags(uint64(v) & (1<<len(t.fields) - 1))
	case kindOwn:
		return a.liftOwn(t, v)
	case kindBorrow:
		return a.liftBorrow(t, v)
	}
	return a.liftEnd(t, v)
}

func (a *abi) liftOwn(t *valueType, index uint32) any {
	r := a.instance.resources[t.resource.resource]
	h := a.instance.removeResource(index, r)
	if !h.own {
		trap("cannot lift own resource from a borrow")
	}
	return &Resource{r, h.representation, resourceOwned}
}

func (a *abi) liftBorrow(t *valueType, index uint32) any {
	r := a.instance.resources[t.resource.resource]
	h := a.instance.resourceAt(index, r)
	h.lends++
	lent := &Resource{r, h.representation, resourceBorrowed}
	v := a.subtask.values
	v.lenders, v.lent = append(v.lenders, h), append(v.lent, lent)
	return lent
}

func liftPrimitive(p primitive, v uint64) any {
	switch p {
	case primBool:
		return uint32(v) != 0
	case primS8:
		return int8(v)
	case primU8:
		return uint8(v)
	case primS16:
		return int16(v)
	case primU16:
		return uint16(v)
	case primS32:
		return int32(v)
	case primU32:
		return uint32(v)
	case primS64:
		return int64(v)
	case primU64:
		return v
	case primF32:
		return math.Float32frombits(canonicalNaN32(uint32(v)))
	case primF64:
		return math.Float64frombits(canonicalNaN64(v))
	case primChar:
		if uint32(v) > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
			trap("invalid `char` bit pattern")
		}
		return Char(v)
	}
	return nil
}

func canonicalNaN32(bits uint32) uint32 {
	if bits&0x7fffffff > 0x7f800000 {
		return 0x7fc00000
	}
	return bits
}

func canonicalNaN64(bits uint64) uint64 {
	if bits&(1<<63-1) > 0x7ff<<52 {
		return 0x7ff8 << 48
	}
	return bits
}

// loadValue reads a value from memory, where it is aligned and in bounds.
func (a *abi) loadValue(t *valueType, pointer uint32) any {
	switch t.kind {
	case kindPrimitive:
		if t.prim == primString {
			return a.loadText(uint32(a.load(pointer, 4)), uint32(a.load(pointer+4, 4)))
		}
		if t.prim == primErrorContext {
			return tableItem[*ErrorContext](a.instance, uint32(a.load(pointer, 4)))
		}
		return liftPrimitive(t.prim, a.load(pointer, primitiveSizes[t.prim]))
	case kindRecord, kindTuple:
		return a.loadFields(t, pointer)
	case kindFixedList:
		return a.loadElements(t.fields[0].typ, pointer, t.length)
	case kindList, kindMap:
		return a.loadList(t, uint32(a.load(pointer, 4)), uint32(a.load(pointer+4, 4)))
	case kindVariant, kindOption, kindResult:
		v := Variant{Case: a.checkCase(t, uint32(a.load(pointer, discriminantSize(t.cases()))))}
		if payload := t.payload(v.Case); payload != nil {
			v.Payload = a.loadValue(payload, pointer+uint32(t.payloadOffset(4)))
		}
		return v
	}
	return a.liftSmall(t, uint32(a.load(pointer, t.size32.size)))
}

// goValueBytes is the size of an interface value.
const goValueBytes = 16

func (a *abi) loadFields(t *valueType, pointer uint32) []any {
	a.charge(uint64(len(t.fields)) * goValueBytes)
	values := make([]any, len(t.fields))
	at := uint64(pointer)
	for i, f := range t.fields {
		at = alignTo(at, f.typ.size32.align)
		values[i] = a.loadValue(f.typ, uint32(at))
		at += f.typ.size32.size
	}
	return values
}

func (a *abi) loadList(t *valueType, pointer, length uint32) any {
	element := t.fields[0].typ
	if t.kind == kindMap {
		element = t.entry()
	}
	size := multiply(uint64(length), element.size32.size)
	if size > maxContentBytes {
		trap("list of %d bytes exceeds the limit of %d", size, maxContentBytes)
	}
	a.checkRange(pointer, element.size32.align, size, "list")
	if t.isBytes() {
		a.charge(size)
		return append([]byte{}, a.bytes(pointer, length)...)
	}
	return a.loadElements(element, pointer, length)
}

func (a *abi) loadElements(element *valueType, pointer, length uint32) []any {
	a.charge(uint64(length) * goValueBytes)
	values := make([]any, length)
	for i := range values {
		values[i] = a.loadValue(element, pointer+uint32(i)*uint32(element.size32.size))
	}
	return values
}
