package component

// measure sets the facts of a type from those of the types in it.
func (t *valueType) measure() {
	t.nodes = 1
	for _, f := range t.fields {
		t.nodes = add(t.nodes, 1)
		if f.typ != nil {
			t.nodes = add(t.nodes, f.typ.nodes)
			t.depth = max(t.depth, f.typ.depth)
			t.borrows = t.borrows || f.typ.borrows
			t.resources = t.resources || f.typ.resources
			t.pointers = t.pointers || f.typ.pointers
		}
	}
	t.depth++
	switch t.kind {
	case kindPrimitive:
		t.pointers = t.prim == primString
	case kindList, kindMap:
		t.pointers = true
	case kindBorrow:
		t.borrows, t.resources = true, true
	case kindOwn:
		t.resources = true
	case kindStream, kindFuture:
		t.pointers = false // elements are in memory, but only when they are read or written
	}
	t.flat = t.countFlat()
	t.size32, t.size64 = t.measureLayout(4), t.measureLayout(8)
}

// countFlat counts the core values that a value is passed as.
func (t *valueType) countFlat() uint64 {
	var all, widest uint64
	for _, f := range t.fields {
		if f.typ != nil {
			all = add(all, f.typ.flat)
			widest = max(widest, f.typ.flat)
		}
	}
	switch t.kind {
	case kindPrimitive:
		if t.prim == primString {
			return 2
		}
		return 1
	case kindRecord, kindTuple:
		return all
	case kindVariant, kindOption, kindResult:
		return add(1, widest)
	case kindList, kindMap:
		return 2
	case kindFixedList:
		return multiply(all, uint64(t.length))
	}
	return 1
}

var primitiveSizes = [...]uint64{
	primBool: 1, primS8: 1, primU8: 1, primS16: 2, primU16: 2, primS32: 4, primU32: 4, primS64: 8, primU64: 8,
	primF32: 4, primF64: 8, primChar: 4, primErrorContext: 4,
}

// measureLayout gives the size and alignment of a value in a memory whose addresses have the given number of bytes.
func (t *valueType) measureLayout(address uint64) layout {
	switch t.kind {
	case kindPrimitive:
		if t.prim == primString {
			return layout{2 * address, address}
		}
		n := primitiveSizes[t.prim]
		return layout{n, n}
	case kindList, kindMap:
		return layout{2 * address, address}
	case kindRecord, kindTuple:
		return t.sequence(address)
	case kindFixedList:
		element := t.fields[0].typ.layout(address)
		return layout{multiply(element.size, uint64(t.length)), element.align}
	case kindVariant, kindOption, kindResult:
		return t.union(address)
	case kindEnum:
		n := discriminantSize(len(t.fields))
		return layout{n, n}
	case kindFlags:
		n := flagsSize(len(t.fields))
		return layout{n, n}
	}
	return layout{4, 4}
}

func (t *valueType) layout(address uint64) layout {
	if address == 8 {
		return t.size64
	}
	return t.size32
}

func (t *valueType) sequence(address uint64) layout {
	all := layout{0, 1}
	for _, f := range t.fields {
		l := f.typ.layout(address)
		all.size = add(alignTo(all.size, l.align), l.size)
		all.align = max(all.align, l.align)
	}
	all.size = alignTo(all.size, all.align)
	return all
}

func (t *valueType) union(address uint64) layout {
	n := discriminantSize(t.cases())
	all := layout{n, n}
	var payload uint64
	for _, f := range t.fields {
		if f.typ != nil {
			l := f.typ.layout(address)
			payload = max(payload, l.size)
			all.align = max(all.align, l.align)
		}
	}
	offset := t.payloadOffset(address)
	all.size = alignTo(add(offset, payload), all.align)
	return all
}

// payloadOffset is where the payload of a variant, option or result begins in memory.
func (t *valueType) payloadOffset(address uint64) uint64 {
	align := uint64(1)
	for _, f := range t.fields {
		if f.typ != nil {
			align = max(align, f.typ.layout(address).align)
		}
	}
	return alignTo(discriminantSize(t.cases()), align)
}

// cases counts the cases of a variant, option or result. An option has one payload and two cases.
func (t *valueType) cases() int {
	if t.kind == kindOption {
		return 2
	}
	return len(t.fields)
}

func alignTo(n, align uint64) uint64 { return add(n, align-1) / align * align }

// discriminantSize is the number of bytes that tell a number of cases apart.
func discriminantSize(cases int) uint64 {
	switch {
	case cases <= 1<<8:
		return 1
	case cases <= 1<<16:
		return 2
	}
	return 4
}

func flagsSize(labels int) uint64 {
	switch {
	case labels <= 8:
		return 1
	case labels <= 16:
		return 2
	}
	return 4
}
