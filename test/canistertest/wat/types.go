package wat

import (
	"bytes"
	"slices"
)

// typeDef is one defined type. encoded is set for function types only.
type typeDef struct {
	encoded []byte
	params  uint32
	plain   bool // final, without supertypes, alone in its group
	fields  space
}

var abstractTypes = map[string]byte{
	"func": 0x70, "extern": 0x6f, "any": 0x6e, "eq": 0x6d, "i31": 0x6c, "struct": 0x6b, "array": 0x6a,
	"none": 0x71, "noextern": 0x72, "nofunc": 0x73, "exn": 0x69, "noexn": 0x74,
}

var valueTypes = map[string]byte{
	"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c, "v128": 0x7b,
	"funcref": 0x70, "externref": 0x6f, "anyref": 0x6e, "eqref": 0x6d, "i31ref": 0x6c, "structref": 0x6b,
	"arrayref": 0x6a, "nullref": 0x71, "nullexternref": 0x72, "nullfuncref": 0x73, "exnref": 0x69, "nullexnref": 0x74,
}

func (a *assembler) isValueType() bool {
	if a.kind() == Atom {
		_, ok := valueTypes[a.word()]
		return ok
	}
	return a.form("ref")
}

func (a *assembler) isReferenceType() bool {
	return a.form("ref") || a.kind() == Atom && valueTypes[a.word()] != 0 && valueTypes[a.word()] <= 0x74
}

func (a *assembler) valueType(out []byte) []byte {
	if !a.isValueType() {
		a.unexpected("a value type")
	}
	if a.kind() == Atom {
		code := valueTypes[a.word()]
		a.at++
		return append(out, code)
	}
	a.at += 2
	nullable := a.keyword("null")
	heap := a.heapType(nil)
	a.close()
	if nullable && len(heap) == 1 && heap[0] >= 0x69 && heap[0] <= 0x74 {
		return append(out, heap[0]) // the short form of an abstract type
	}
	if nullable {
		return append(append(out, 0x63), heap...)
	}
	return append(append(out, 0x64), heap...)
}

func (a *assembler) referenceType(out []byte) []byte {
	if !a.isReferenceType() {
		a.unexpected("a reference type")
	}
	return a.valueType(out)
}

func (a *assembler) heapType(out []byte) []byte {
	if a.isIndex() {
		return appendSigned(out, int64(a.index(&a.spaces[spaceType])))
	}
	code, ok := abstractTypes[a.word()]
	if !ok {
		a.unexpected("a heap type")
	}
	a.at++
	return append(out, code)
}

// defineTypes passes all fields and encodes those that define types.
func (a *assembler) defineTypes() {
	a.implicit = map[string]uint32{}
	for a.kind() == Open || a.kind() == Annotation {
		switch {
		case a.form("type"):
			a.addGroup(a.typeField(nil, true))
		case a.enter("rec"):
			count, group := uint32(0), []byte(nil)
			for a.form("type") {
				group = a.typeField(group, false)
				count++
			}
			a.close()
			a.addGroup(append(appendUnsigned([]byte{0x4e}, uint64(count)), group...))
		default:
			a.skip()
		}
	}
}

func (a *assembler) addGroup(encoded []byte) {
	a.sections[secType].count++
	a.sections[secType].body = append(a.sections[secType].body, encoded...)
}

// typeField is "(type $name? subtype)".
func (a *assembler) typeField(out []byte, alone bool) []byte {
	a.at += 2
	a.maybeName()
	def := typeDef{plain: alone, fields: space{noun: "field"}}
	if a.enter("sub") {
		final := a.keyword("final")
		var supers []byte
		count := 0
		for ; a.isIndex(); count++ {
			supers = appendUnsigned(supers, uint64(a.index(&a.spaces[spaceType])))
		}
		def.plain = alone && final && count == 0
		if !def.plain {
			head := byte(0x50)
			if final {
				head = 0x4f
			}
			out = append(appendUnsigned(append(out, head), uint64(count)), supers...)
		}
		out = a.compositeType(out, &def)
		a.close()
	} else {
		out = a.compositeType(out, &def)
	}
	a.close()
	a.addType(def)
	return out
}

func (a *assembler) addType(def typeDef) uint32 {
	index := uint32(len(a.types))
	a.types = append(a.types, def)
	if _, known := a.implicit[string(def.encoded)]; !known && def.plain && def.encoded != nil {
		a.implicit[string(def.encoded)] = index
	}
	return index
}

func (a *assembler) compositeType(out []byte, def *typeDef) []byte {
	switch {
	case a.enter("func"):
		ignored := space{noun: "parameter"}
		def.encoded, def.params = a.signature(&ignored)
		out = append(out, def.encoded...)
	case a.enter("struct"):
		count, fields := 0, []byte(nil)
		for a.enter("field") {
			if a.kind() == Name {
				at := a.token().Start
				def.fields.bind(a.name(), at)
				fields = a.fieldType(fields)
				count++
			} else {
				for ; a.kind() != Close; count++ {
					def.fields.bind("", 0)
					fields = a.fieldType(fields)
				}
			}
			a.close()
		}
		out = append(appendUnsigned(append(out, 0x5f), uint64(count)), fields...)
	case a.enter("array"):
		out = a.fieldType(append(out, 0x5e))
	default:
		a.unexpected("(func, (struct or (array")
	}
	a.close()
	return out
}

func (a *assembler) fieldType(out []byte) []byte {
	mutable := a.enter("mut")
	switch {
	case a.keyword("i8"):
		out = append(out, 0x78)
	case a.keyword("i16"):
		out = append(out, 0x77)
	default:
		out = a.valueType(out)
	}
	if mutable {
		a.close()
		return append(out, 1)
	}
	return append(out, 0)
}

// signature is "(param …)* (result …)*", encoded as a function type. Names of
// parameters are bound in names; nil allows none.
func (a *assembler) signature(names *space) (encoded []byte, params uint32) {
	var in, out []byte
	for a.enter("param") {
		if names != nil && a.kind() == Name {
			at := a.token().Start
			names.bind(a.name(), at)
			in = a.valueType(in)
			params++
		} else {
			for ; a.kind() != Close; params++ {
				if names != nil {
					names.bind("", 0)
				}
				in = a.valueType(in)
			}
		}
		a.close()
	}
	results := uint64(0)
	for a.enter("result") {
		for ; a.kind() != Close; results++ {
			out = a.valueType(out)
		}
		a.close()
	}
	if a.form("param") {
		a.unexpected("no parameter after a result")
	}
	encoded = append(appendUnsigned([]byte{0x60}, uint64(params)), in...)
	return append(appendUnsigned(encoded, results), out...), params
}

// typeUse is "(type x)? (param …)* (result …)*"; it gives the type's index and
// adds the type if the module has none like it.
func (a *assembler) typeUse(names *space) uint32 {
	if !a.enter("type") {
		encoded, params := a.signature(names)
		return a.implicitType(encoded, params)
	}
	at := a.token().Start
	index := a.index(&a.spaces[spaceType])
	a.close()
	inline := a.form("param") || a.form("result")
	encoded, _ := a.signature(names)
	if int(index) < len(a.types) {
		def := &a.types[index]
		if inline && !bytes.Equal(encoded, def.encoded) {
			fail(at, "inline function type does not match type %d", index)
		}
		for names != nil && !inline && names.count < def.params {
			names.bind("", 0)
		}
	} else if inline {
		fail(at, "unknown type %d", index)
	}
	return index
}

func (a *assembler) implicitType(encoded []byte, params uint32) uint32 {
	if index, known := a.implicit[string(encoded)]; known {
		return index
	}
	index := a.addType(typeDef{encoded: slices.Clone(encoded), params: params, plain: true})
	a.addGroup(encoded)
	return index
}

// limits of a memory or table.
type limits struct {
	wide, bounded, shared bool
	min, max              uint64
}

// addressType passes "i32" or "i64", true for the latter.
func (a *assembler) addressType() bool {
	return !a.keyword("i32") && a.keyword("i64")
}

func (a *assembler) limits() limits {
	l := limits{wide: a.addressType()}
	l.min = a.u64()
	if a.isNumber() {
		l.bounded = true
		l.max = a.u64()
	}
	l.shared = a.keyword("shared")
	return l
}

func (l limits) encode(out []byte) []byte {
	flags := byte(0)
	for bit, set := range []bool{l.bounded, l.shared, l.wide} {
		if set {
			flags |= 1 << bit
		}
	}
	out = appendUnsigned(append(out, flags), l.min)
	if l.bounded {
		out = appendUnsigned(out, l.max)
	}
	return out
}
