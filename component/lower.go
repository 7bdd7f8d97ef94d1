package component

import "math"

// lowerAll gives the core values that pass values: the values themselves, or a pointer to a tuple of them in memory.
func (a *abi) lowerAll(types []field, values []any, spilled bool) []uint64 {
	if spilled {
		tuple := tupleOf(types)
		pointer := a.allocate(tuple.size32.align, tuple.size32.size, "tuple")
		a.storeFields(tuple, values, pointer)
		return []uint64{uint64(pointer)}
	}
	var flat []uint64
	for i, f := range types {
		flat = a.lower(f.typ, values[i], flat)
	}
	return flat
}

// lower appends the core values that pass a value.
func (a *abi) lower(t *valueType, v any, flat []uint64) []uint64 {
	switch t.kind {
	case kindPrimitive:
		if t.prim == primString {
			pointer, units := a.storeText(v)
			return append(flat, uint64(pointer), uint64(units))
		}
		return append(flat, a.lowerPrimitive(v))
	case kindRecord, kindTuple:
		for i, f := range t.fields {
			flat = a.lower(f.typ, v.([]any)[i], flat)
		}
		return flat
	case kindFixedList:
		for _, e := range v.([]any) {
			flat = a.lower(t.fields[0].typ, e, flat)
		}
		return flat
	case kindList, kindMap:
		pointer, length := a.storeList(t, v)
		return append(flat, uint64(pointer), uint64(length))
	case kindVariant, kindOption, kindResult:
		end := len(flat) + int(t.flat)
		flat = append(flat, uint64(v.(Variant).Case))
		if payload := t.payload(v.(Variant).Case); payload != nil {
			flat = a.lower(payload, v.(Variant).Payload, flat)
		}
		for len(flat) < end {
			flat = append(flat, 0)
		}
		return flat
	}
	return append(flat, uint64(a.lowerSmall(t, v)))
}

// lowerSmall gives the number of an enum, flags or a handle.
func (a *abi) lowerSmall(t *valueType, v any) uint32 {
	switch v := v.(type) {
	case Enum:
		return uint32(v)
	case Flags:
		return uint32(v)
	case *Resource:
		if v.implementation != a.instance.resources[t.resource.resource] {
			trap("resource of another type than the parameter or result")
		}
		if t.kind == kindOwn {
			v.state = resourceGone
			return a.instance.handles.add(&handle{resource: v.implementation, representation: v.representation, own: true})
		}
		if v.implementation.owner == a.instance {
			return v.representation
		}
		a.task.borrows++
		return a.instance.handles.add(&handle{resource: v.implementation, representation: v.representation, task: a.task})
	}
	return a.lowerEnd(t, v)
}

// lowerPrimitive gives the core value of a primitive value that is no string.
func (a *abi) lowerPrimitive(v any) uint64 {
	if e, ok := v.(*ErrorContext); ok {
		return uint64(a.instance.handles.add(e))
	}
	return lowerPrimitive(v)
}

func lowerPrimitive(v any) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int8:
		return uint64(uint32(v))
	case uint8:
		return uint64(v)
	case int16:
		return uint64(uint32(v))
	case uint16:
		return uint64(v)
	case int32:
		return uint64(uint32(v))
	case uint32:
		return uint64(v)
	case int64:
		return uint64(v)
	case uint64:
		return v
	case float32:
		return uint64(canonicalNaN32(math.Float32bits(v)))
	case float64:
		return canonicalNaN64(math.Float64bits(v))
	case Char:
		return uint64(v)
	}
	return 0
}

// storeValue writes a value to memory, where there is room for it.
func (a *abi) storeValue(t *valueType, v any, pointer uint32) {
	switch t.kind {
	case kindPrimitive:
		if t.prim != primString {
			a.store(pointer, primitiveSizes[t.prim], a.lowerPrimitive(v))
			return
		}
		text, units := a.storeText(v)
		a.storePair(pointer, text, units)
	case kindRecord, kindTuple:
		a.storeFields(t, v.([]any), pointer)
	case kindFixedList:
		a.storeElements(t.fields[0].typ, v.([]any), pointer)
	case kindList, kindMap:
		list, length := a.storeList(t, v)
		a.storePair(pointer, list, length)
	case kindVariant, kindOption, kindResult:
		v := v.(Variant)
		a.store(pointer, discriminantSize(t.cases()), uint64(v.Case))
		if payload := t.payload(v.Case); payload != nil {
			a.storeValue(payload, v.Payload, pointer+uint32(t.payloadOffset(4)))
		}
	default:
		a.store(pointer, t.size32.size, uint64(a.lowerSmall(t, v)))
	}
}

func (a *abi) storePair(pointer, first, second uint32) {
	a.store(pointer, 4, uint64(first))
	a.store(pointer+4, 4, uint64(second))
}

func (a *abi) storeFields(t *valueType, values []any, pointer uint32) {
	at := uint64(pointer)
	for i, f := range t.fields {
		at = alignTo(at, f.typ.size32.align)
		a.storeValue(f.typ, values[i], uint32(at))
		at += f.typ.size32.size
	}
}

func (a *abi) storeList(t *valueType, v any) (pointer, length uint32) {
	if b, ok := v.([]byte); ok {
		pointer = a.allocate(1, listSize(len(b), 1), "list")
		copy(a.bytes(pointer, uint32(len(b))), b)
		return pointer, uint32(len(b))
	}
	values := v.([]any)
	element := t.fields[0].typ
	if t.kind == kindMap {
		element = t.entry()
	}
	pointer = a.allocate(element.size32.align, listSize(len(values), element.size32.size), "list")
	a.storeElements(element, values, pointer)
	return pointer, uint32(len(values))
}

// listSize gives the size of a list in memory, which a caller outside may have made too large.
func listSize(length int, element uint64) uint64 {
	size := multiply(uint64(length), element)
	if size > maxContentBytes {
		trap("list of %d bytes exceeds the limit of %d", size, maxContentBytes)
	}
	return size
}

func (a *abi) storeElements(element *valueType, values []any, pointer uint32) {
	for i, v := range values {
		a.storeValue(element, v, pointer+uint32(i)*uint32(element.size32.size))
	}
}
