package component

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Bytes are a component or are refused with a fault whose offset is in them, twice the same.
func FuzzComponentsAreAcceptedOrRefused(f *testing.F) {
	for _, folder := range []string{"valid", "refused"} {
		for _, binary := range programs(f, folder) {
			f.Add(binary)
		}
	}
	f.Fuzz(func(t *testing.T, binary []byte) {
		verdict := func() error {
			_, err := check(binary, func(module []byte) error {
				forEngine(module)
				return nil
			})
			return err
		}
		first, second := verdict(), verdict()
		if (first == nil) != (second == nil) || first != nil && first.Error() != second.Error() {
			t.Fatalf("%v, then %v", first, second)
		}
		if invalid := new(Invalid); first != nil && (!errors.As(first, &invalid) || invalid.Offset > len(binary)) {
			t.Fatal(first)
		}
	})
}

// The canonical form of a label is a label, and its own.
func FuzzLabelsHaveACanonicalForm(f *testing.F) {
	for _, name := range []string{"a", "A-b", "[method]foo.bar", "[static]a.a", "[constructor]x", "wasi:io/streams@0.2.0-rc+x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parsed, err := parseName(name)
		if err != nil || parsed.kind != nameLabel {
			return
		}
		canonical := canonicalName(name)
		if _, err := parseName(canonical); err != nil {
			t.Fatalf("%s is accepted, its canonical form %s is not: %v", name, canonical, err)
		}
		if again := canonicalName(canonical); again != canonical {
			t.Fatalf("the canonical form of %s is %s, and of that %s", name, canonical, again)
		}
	})
}

// Bytes of a memory are a value, or trap. A value is the same after it was written and read again.
func FuzzMemoryIsAValueOrTraps(f *testing.F) {
	primitive := func(p primitive) *valueType { return primitiveTypes[p] }
	typeOf := func(kind typeKind, types ...*valueType) *valueType {
		t := &valueType{kind: kind, length: 2}
		for _, payload := range types {
			t.fields = append(t.fields, field{typ: payload})
		}
		t.measure()
		return t
	}
	text := primitive(primString)
	types := []*valueType{
		text, typeOf(kindList, text), typeOf(kindList, typeOf(kindTuple, primitive(primU8), primitive(primF64))), typeOf(kindList, primitive(primU8)),
		typeOf(kindVariant, primitive(primChar), typeOf(kindList, primitive(primU16)), nil), typeOf(kindOption, typeOf(kindRecord, primitive(primBool), text)),
		typeOf(kindResult, typeOf(kindFlags, nil, nil, nil), typeOf(kindEnum, nil, nil)), typeOf(kindMap, text, primitive(primS64)),
		typeOf(kindFixedList, typeOf(kindOption, primitive(primF32))), typeOf(kindList, typeOf(kindList, typeOf(kindList, primitive(primBool)))),
	}
	sides := []*memorySide{newSide(f, optionUTF8), newSide(f, optionUTF16), newSide(f, optionLatin1)}
	f.Add(uint8(0), uint8(0), []byte("\x08\x00\x00\x00\x03\x00\x00\x00abc"))
	f.Add(uint8(1), uint8(4), []byte("\x01\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00\x00"))
	f.Add(uint8(2), uint8(5), []byte("\x01\x00\x00\x00\x01\x00\x00\x00\x10\x00\x00\x00\x02\x00\x00\x80a\x00b\x00"))
	f.Fuzz(func(t *testing.T, encoding, kind uint8, memory []byte) {
		side, typ := sides[int(encoding)%len(sides)], types[int(kind)%len(types)]
		memory = memory[:min(len(memory), 1<<16)]
		side.memory.Write(0, make([]byte, 1<<17))
		side.memory.Write(0, memory)
		side.reset()
		fields := []field{{typ: typ}}
		var v any
		if err := traps(func() { v = side.liftAll(fields, []uint64{0}, true)[0] }); err != nil {
			return
		}
		if reason := mismatchOf(v, typ); reason != "" {
			t.Fatalf("%#v: %s", v, reason)
		}
		side.reset()
		side.next = 1 << 16
		var again any
		err := traps(func() { again = side.liftAll(fields, side.lowerAll(fields, []any{v}, true), true)[0] })
		if err != nil && !strings.Contains(err.Error(), "beyond end of memory") {
			t.Fatal(err)
		}
		if err == nil && fmt.Sprintf("%#v", again) != fmt.Sprintf("%#v", v) {
			t.Fatalf("%#v became %#v", v, again)
		}
	})
}
