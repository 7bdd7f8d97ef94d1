package component

import (
	"context"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"
	"pgregory.net/rapid"
)

// memorySide is an instance's side of calls with a memory that is filled from its beginning.
type memorySide struct {
	abi
	next uint64
}

func (s *memorySide) reset() { s.next, s.lifted, s.outside = 8, 0, true }

// newSide gives an instance's side of calls with a memory of its own, whose realloc never gives memory back.
func newSide(t testing.TB, encoding byte) *memorySide {
	engine := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = engine.Close(context.Background()) })
	module, err := engine.Instantiate(t.Context(), []byte(emptyCore+section(5, vector("\x00\x10"))+section(7, vector(text("m")+"\x02\x00"))))
	if err != nil {
		t.Fatal(err)
	}
	s := &memorySide{}
	a := &s.abi
	*a = abi{instance: &instanceState{host: &host{}, leaving: true}, memory: module.ExportedMemory("m"), encoding: encoding, outside: true}
	a.realloc = &coreFunction{direct: func(_ context.Context, stack []uint64) {
		old, oldSize, align, size := uint32(stack[0]), stack[1], stack[2], stack[3]
		s.next = alignTo(s.next, align)
		stack[0] = s.next
		if b, ok := a.memory.Read(old, uint32(min(oldSize, size))); ok && oldSize > 0 {
			a.memory.Write(uint32(s.next), append([]byte(nil), b...))
		}
		s.next += size
	}}
	return s
}

var drawnKinds = []typeKind{kindPrimitive, kindRecord, kindVariant, kindList, kindTuple, kindFlags, kindEnum, kindOption, kindResult, kindFixedList, kindMap}

// drawType draws a type without handles.
func drawType(t *rapid.T, depth int) *valueType {
	kind := kindPrimitive
	if depth > 0 {
		kind = rapid.SampledFrom(drawnKinds).Draw(t, "kind")
	}
	if kind == kindPrimitive {
		return primitiveTypes[primitive(rapid.IntRange(int(primBool), int(primString)).Draw(t, "primitive"))]
	}
	typ := &valueType{kind: kind}
	payload := func(optional bool) field {
		if optional && rapid.Bool().Draw(t, "empty") {
			return field{}
		}
		return field{typ: drawType(t, depth-1)}
	}
	switch kind {
	case kindFlags, kindEnum:
		typ.fields = make([]field, rapid.IntRange(1, 32).Draw(t, "labels"))
	case kindRecord, kindTuple, kindVariant:
		for range rapid.IntRange(1, 4).Draw(t, "fields") {
			typ.fields = append(typ.fields, payload(kind == kindVariant))
		}
	case kindResult:
		typ.fields = []field{payload(true), payload(true)}
	case kindMap:
		typ.fields = []field{{typ: primitiveTypes[primString]}, payload(false)}
	case kindFixedList:
		typ.length = uint32(rapid.IntRange(1, 3).Draw(t, "length"))
		typ.fields = []field{payload(false)}
	default:
		typ.fields = []field{payload(false)}
	}
	typ.measure()
	return typ
}

// drawValue draws a value of a type.
func drawValue(t *rapid.T, typ *valueType) any {
	list := func(n int, of func(i int) *valueType) []any {
		values := make([]any, n)
		for i := range values {
			values[i] = drawValue(t, of(i))
		}
		return values
	}
	element := func(int) *valueType { return typ.fields[0].typ }
	switch typ.kind {
	case kindPrimitive:
		return drawPrimitive(t, typ.prim)
	case kindRecord, kindTuple:
		return list(len(typ.fields), func(i int) *valueType { return typ.fields[i].typ })
	case kindFixedList:
		return list(int(typ.length), element)
	case kindMap:
		entry := typ.entry()
		return list(rapid.IntRange(0, 3).Draw(t, "length"), func(int) *valueType { return entry })
	case kindList:
		if typ.isBytes() {
			return rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		}
		return list(rapid.IntRange(0, 3).Draw(t, "length"), element)
	case kindEnum:
		return Enum(rapid.IntRange(0, len(typ.fields)-1).Draw(t, "case"))
	case kindFlags:
		return Flags(rapid.Uint64Max(1<<len(typ.fields)-1).Draw(t, "flags"))
	}
	v := Variant{Case: uint32(rapid.IntRange(0, typ.cases()-1).Draw(t, "case"))}
	if payload := typ.payload(v.Case); payload != nil {
		v.Payload = drawValue(t, payload)
	}
	return v
}

func drawPrimitive(t *rapid.T, p primitive) any {
	switch p {
	case primBool:
		return rapid.Bool().Draw(t, "bool")
	case primS8:
		return rapid.Int8().Draw(t, "s8")
	case primU8:
		return rapid.Uint8().Draw(t, "u8")
	case primS16:
		return rapid.Int16().Draw(t, "s16")
	case primU16:
		return rapid.Uint16().Draw(t, "u16")
	case primS32:
		return rapid.Int32().Draw(t, "s32")
	case primU32:
		return rapid.Uint32().Draw(t, "u32")
	case primS64:
		return rapid.Int64().Draw(t, "s64")
	case primU64:
		return rapid.Uint64().Draw(t, "u64")
	case primF32:
		return rapid.Float32().Draw(t, "f32")
	case primF64:
		return rapid.Float64().Draw(t, "f64")
	case primChar:
		return Char(rapid.Rune().Draw(t, "char"))
	}
	return rapid.String().Draw(t, "string")
}

// A value is the same after it was passed as core values, as a tuple in memory, and between memories with any two encodings
// of strings. Its type says the number of core values.
func TestValuesArriveAsTheyWereSent(t *testing.T) {
	for _, encoding := range []byte{optionUTF8, optionUTF16, optionLatin1} {
		from := newSide(t, encoding)
		for _, other := range []byte{optionUTF8, optionUTF16, optionLatin1} {
			t.Run(encodingNames[encoding]+" to "+encodingNames[other], func(t *testing.T) {
				to := newSide(t, other)
				rapid.Check(t, func(t *rapid.T) {
					typ := drawType(t, 3)
					v := drawValue(t, typ)
					if reason := mismatchOf(v, typ); reason != "" {
						t.Fatalf("%v: %s", v, reason)
					}
					checkPassing(t, from, to, typ, v)
				})
			})
		}
	}
}

func checkPassing(t *rapid.T, from, to *memorySide, typ *valueType, v any) {
	fields := []field{{typ: typ}}
	for _, spilled := range []bool{false, true} {
		if !spilled && typ.flat > 1000 {
			continue
		}
		from.reset()
		to.reset()
		flat := from.lowerAll(fields, []any{v}, spilled)
		if !spilled && uint64(len(flat)) != typ.flat {
			t.Fatalf("%d core values, the type has %d", len(flat), typ.flat)
		}
		from.outside = false
		between := from.liftAll(fields, flat, spilled)
		flat = to.lowerAll(fields, between, !spilled)
		if got := to.liftAll(fields, flat, !spilled)[0]; !reflect.DeepEqual(got, v) {
			t.Fatalf("%#v became %#v", v, got)
		}
	}
}
