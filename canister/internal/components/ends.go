package components

import (
	"encoding/binary"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// Kinds of ends, which are items of the table of handles (enum item_kind in runtime/handles.h).
const (
	streamReadable = 2
	futureReadable = 4
	writable       = 1 // more than the readable end of the same
)

// Kinds of elements (runtime/ends.c).
const (
	elementNone = iota
	elementInteger
	elementFloat
	elementOther // cannot be copied within a component
)

// endFunctions are the functions of the runtime for those of streams and futures, by what these are called behind the dot.
var endFunctions = map[string]struct {
	name   string
	kind   int32 // added to the kind of the readable end
	blocks bool  // unless it is asynchronous
}{
	"new": {"ends.new", 0, false}, "read": {"ends.copy", 0, true}, "write": {"ends.copy", writable, true},
	"cancel-read": {"ends.cancel", 0, true}, "cancel-write": {"ends.cancel", writable, true},
	"drop-readable": {"ends.drop", 0, false}, "drop-writable": {"ends.drop", writable, false},
}

// endFunction returns a function of streams or futures. It calls that of the runtime, which also gets the kind of the end, the type of
// its elements, and whether it is asynchronous.
func (l *linker) endFunction(c *component.Canon, typ string) uint32 {
	sort, verb, _ := strings.Cut(c.Name, ".")
	f, kind := endFunctions[verb], int32(streamReadable)
	if sort == "future" {
		kind = futureReadable
	}
	place := l.add(c.Name, typ, nil)
	var call code
	for i := range c.Params {
		call = call.get(uint32(i))
	}
	if f.name == "ends.copy" && sort == "future" {
		call = call.i32(1) // the number of elements
	}
	call = call.i32(kind + f.kind).i32(int32(l.tables.elements(c.Element)))
	if f.blocks {
		async := int32(0)
		if c.Options.Async {
			async = 1
		}
		call = call.i32(async)
	}
	l.setBody(place, 0, call.call(l.of(f.name)))
	return place
}

// elements returns the place of a type of elements (struct element in runtime/ends.c).
func (t *tables) elements(typ component.Type) uint32 {
	place, ok := t.elementTypes[typ]
	if ok {
		return place
	}
	kind := uint32(elementOther)
	switch {
	case typ.Kind() == 0:
		kind = elementNone
	case typ.Kind() == component.KindF32 || typ.Kind() == component.KindF64:
		kind = elementFloat
	case typ.Kind() >= component.KindS8 && typ.Kind() <= component.KindU64:
		kind = elementInteger
	}
	size, align, _ := typ.Layout()
	var content []byte
	for _, w := range []uint32{kind, uint32(size), uint32(align)} {
		content = binary.LittleEndian.AppendUint32(content, w)
	}
	place = t.put(content)
	t.elementTypes[typ] = place
	return place
}
