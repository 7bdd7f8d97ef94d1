package components

import (
	"encoding/binary"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/component"
)

// Kinds of types in the tables (enum kind in runtime/runtime.h).
const (
	tableBool = iota + 1
	tableBytes1
	tableBytes2
	tableBytes4
	tableBytes8
	tableChar
	tableText
	tableList
	tableFixed
	tableRecord
	tableVariant
	tableOption
	tableFlags
	tablePrincipal
	tableNat
	tableInt
)

// Flags of functions (runtime/runtime.h).
const (
	flagAsync = 1 << iota
	flagPostReturn
	flagRaw
	flagSilent
)

const functionWords = 7 // of a struct function (runtime/runtime.h)

// tables are the types of exported functions, as the runtime reads them: first the functions, then what they refer to.
type tables struct {
	data   []byte
	places map[string]uint32 // of types, by their bytes
	types  map[component.Type]uint32
	candid *candidTypes

	elementTypes map[component.Type]uint32
}

func newTables(functions int) *tables {
	return &tables{
		data: make([]byte, 4*functionWords*functions), places: map[string]uint32{}, types: map[component.Type]uint32{},
		candid: newCandidTypes(), elementTypes: map[component.Type]uint32{},
	}
}

func (t *tables) bytes() []byte { return t.data }

// put appends bytes, and returns their place.
func (t *tables) put(content []byte) uint32 {
	for len(t.data)%4 != 0 {
		t.data = append(t.data, 0)
	}
	place := len(t.data)
	if place+len(content) > maxTableBytes {
		refuse("the types of the component need more than the limit of %d bytes", maxTableBytes)
	}
	t.data = append(t.data, content...)
	return uint32(place)
}

// node is a struct type.
type node struct {
	kind, discriminant uint32
	candid             candid.Kind
	size, flat         uint64
	fields             []nodeField
	order              []uint32 // of the fields in Candid
}

type nodeField struct {
	hash, typ uint32
	offset    uint64
}

func (t *tables) add(n node) uint32 {
	if n.size > maxValueBytes {
		refuse("a value of a function takes %d bytes of memory, which is more than the limit of %d", n.size, maxValueBytes)
	}
	words := []uint32{n.kind, uint32(n.candid), uint32(n.size), n.discriminant, uint32(n.flat), uint32(len(n.fields))}
	for _, f := range n.fields {
		words = append(words, f.hash, f.typ, uint32(f.offset))
	}
	words = append(words, n.order...)
	var content []byte
	for _, w := range words {
		content = binary.LittleEndian.AppendUint32(content, w)
	}
	place, ok := t.places[string(content)]
	if !ok {
		place = t.put(content)
		t.places[string(content)] = place
	}
	return place
}

// setFunction writes an exported function.
func (t *tables) setFunction(number int, x exported) {
	typ, name := x.function.Type, x.method
	header := t.candid.header(typ.Result)
	words := [functionWords]uint32{
		t.params(typ), t.typ(typ.Result), x.flags, t.put([]byte(name)), uint32(len(name)), t.put(header), uint32(len(header)),
	}
	for i, w := range words {
		binary.LittleEndian.PutUint32(t.data[4*(functionWords*number+i):], w)
	}
}

// params returns the place of the types of parameters, as a record.
func (t *tables) params(f component.FuncType) uint32 {
	n := node{kind: tableRecord}
	size, _, offsets := f.ParamsLayout()
	n.size = size
	for i, p := range f.Params {
		n.flat += p.Type.FlatCount()
		n.fields = append(n.fields, nodeField{uint32(i), t.typ(p.Type), offsets[i]})
		n.order = append(n.order, uint32(i))
	}
	checkImage(n)
	return t.add(n)
}

// checkImage checks what reply_with and enter_function rely on.
func checkImage(n node) {
	if n.flat <= component.MaxFlatParams && n.size > imageBytes {
		refuse("a type of %d core values takes %d bytes of memory, which is more than the limit of %d", n.flat, n.size, imageBytes)
	}
}

// primitiveTables are the kinds of primitive types.
var primitiveTables = map[component.Kind]uint32{
	component.KindBool: tableBool, component.KindChar: tableChar, component.KindString: tableText,
	component.KindS8: tableBytes1, component.KindU8: tableBytes1, component.KindS16: tableBytes2, component.KindU16: tableBytes2,
	component.KindS32: tableBytes4, component.KindU32: tableBytes4, component.KindF32: tableBytes4,
	component.KindS64: tableBytes8, component.KindU64: tableBytes8, component.KindF64: tableBytes8,
}

// typ returns the place of a type: 0 for none.
func (t *tables) typ(typ component.Type) uint32 {
	place, ok := t.types[typ]
	if !ok && typ.Kind() != 0 {
		place = t.define(typ)
		t.types[typ] = place
	}
	return place
}

func (t *tables) define(typ component.Type) uint32 {
	own := t.candid.of(typ)
	n := node{candid: own.Kind(), flat: typ.FlatCount(), discriminant: uint32(typ.DiscriminantSize())}
	var offsets []uint64
	n.size, _, offsets = typ.Layout()
	kind, primitive := primitiveTables[typ.Kind()]
	if primitive {
		n.kind = kind
		return t.add(n)
	}
	t.compose(&n, typ, own, offsets)
	checkImage(n)
	return t.add(n)
}

// compose sets what a node of a composite type has.
func (t *tables) compose(n *node, typ component.Type, own *candid.Type, offsets []uint64) {
	switch typ.Kind() {
	case component.KindList, component.KindMap:
		n.kind = tableList
		element, align := t.element(typ)
		n.fields, n.discriminant = []nodeField{{0, element, 0}}, align
	case component.KindFixedList:
		n.kind = tableFixed
		element, _ := t.element(typ)
		n.fields, n.discriminant = []nodeField{{0, element, 0}}, typ.Length()
	case component.KindOption:
		n.kind = tableOption
		element, _ := t.element(typ)
		n.fields = []nodeField{{0, element, offsets[0]}}
	case component.KindRecord, component.KindTuple:
		n.kind = tableRecord
		if special, ok := specialTables[specialOf(typ)]; ok {
			n.kind = special
		}
		t.fields(n, typ, offsets)
	case component.KindFlags:
		n.kind = tableFlags
		t.fields(n, typ, nil)
	default: // candidTypes refuses all others
		n.kind = tableVariant
		t.fields(n, typ, offsets)
	}
	if n.kind == tableRecord || n.kind == tableFlags || n.kind == tableVariant {
		n.order = candidOrder(typ, own)
	}
}

// element returns the place of the type of the elements of a list or option, and their alignment. A map is a list of pairs.
func (t *tables) element(typ component.Type) (place, align uint32) {
	if typ.Kind() != component.KindMap {
		_, align, _ := typ.Element().Layout()
		return t.typ(typ.Element()), uint32(align)
	}
	pair := component.FuncType{Params: typ.Fields()}
	_, wide, _ := pair.ParamsLayout()
	return t.params(pair), uint32(wide)
}

var specialTables = map[string]uint32{"principal": tablePrincipal, "nat": tableNat, "int": tableInt}

// fields adds the fields, cases or labels of a type.
func (t *tables) fields(n *node, typ component.Type, offsets []uint64) {
	for i, f := range typ.Fields() {
		field := nodeField{label(typ.Kind(), i, f).ID, t.typ(f.Type), 0}
		if offsets != nil {
			field.offset = offsets[i]
		}
		n.fields = append(n.fields, field)
	}
}

// candidOrder lists the fields of a type in the order of Candid, which sorts them by hash.
func candidOrder(typ component.Type, own *candid.Type) (order []uint32) {
	places := map[uint32]uint32{}
	for i, f := range typ.Fields() {
		places[label(typ.Kind(), i, f).ID] = uint32(i)
	}
	for _, f := range own.Fields() {
		order = append(order, places[f.ID])
	}
	return order
}
