package component

import "math"

// primitive is a primitive value type. The zero value is none.
type primitive uint8

const (
	primBool primitive = iota + 1
	primS8
	primU8
	primS16
	primU16
	primS32
	primU32
	primS64
	primU64
	primF32
	primF64
	primChar
	primString
	primErrorContext
)

// primitives has the codes of the binary format.
var primitives = map[byte]primitive{
	0x7f: primBool, 0x7e: primS8, 0x7d: primU8, 0x7c: primS16, 0x7b: primU16, 0x7a: primS32, 0x79: primU32, 0x78: primS64,
	0x77: primU64, 0x76: primF32, 0x75: primF64, 0x74: primChar, 0x73: primString, 0x64: primErrorContext,
}

var primitiveNames = [...]string{
	primBool: "bool", primS8: "s8", primU8: "u8", primS16: "s16", primU16: "u16", primS32: "s32", primU32: "u32", primS64: "s64",
	primU64: "u64", primF32: "f32", primF64: "f64", primChar: "char", primString: "string", primErrorContext: "error-context",
}

func (p primitive) String() string { return primitiveNames[p] }

// typeKind is the constructor of a value type, by its code in the binary format.
type typeKind byte

const (
	kindPrimitive typeKind = 0x00
	kindRecord    typeKind = 0x72
	kindVariant   typeKind = 0x71
	kindList      typeKind = 0x70
	kindTuple     typeKind = 0x6f
	kindFlags     typeKind = 0x6e
	kindEnum      typeKind = 0x6d
	kindOption    typeKind = 0x6b
	kindResult    typeKind = 0x6a
	kindOwn       typeKind = 0x69
	kindBorrow    typeKind = 0x68
	kindFixedList typeKind = 0x67
	kindStream    typeKind = 0x66
	kindFuture    typeKind = 0x65
	kindMap       typeKind = 0x63
)

var kindNames = map[typeKind]string{
	kindPrimitive: "primitive", kindRecord: "record", kindVariant: "variant", kindList: "list", kindTuple: "tuple",
	kindFlags: "flags", kindEnum: "enum", kindOption: "option", kindResult: "result", kindOwn: "own", kindBorrow: "borrow",
	kindFixedList: "fixed-length list", kindStream: "stream", kindFuture: "future", kindMap: "map",
}

func (k typeKind) String() string { return kindNames[k] }

// anyType is an item of the type index space: *valueType, *resourceType, *funcType, *componentType or *instanceType.
// Its pointer is its name: an import or export of a type adds a new pointer, an alias does not.
type anyType any

// resource is the identity of a resource type: types with the same resource are equal.
type resource struct {
	destructor *coreFunc // of a resource defined by a component, if it has one
}

// resourceType is a name of a resource in an index space.
type resourceType struct{ resource *resource }

// valueType is a value type. Types without names are equal if they have the same structure.
type valueType struct {
	kind     typeKind
	prim     primitive
	fields   []field       // of records, variants, tuples, flags, enums; the payloads of the others
	length   uint32        // of a list of fixed length
	resource *resourceType // of own and borrow
	facts
}

// facts are what is known of a value type with all types in it.
type facts struct {
	nodes     uint64 // visited if it is compared without shortcuts
	depth     int
	borrows   bool   // contains a borrow
	resources bool   // contains a handle
	pointers  bool   // contains a string or a list
	flat      uint64 // core values that it flattens to
	size32    layout // in a memory with 32-bit addresses
	size64    layout
}

// layout is how a value lies in memory.
type layout struct{ size, align uint64 }

// field is a field, case, label, element, payload or parameter. A nil type is one without a value.
type field struct {
	name string
	typ  *valueType
}

// primitiveTypes has one type for each primitive.
var primitiveTypes = func() map[primitive]*valueType {
	all := map[primitive]*valueType{}
	for _, p := range primitives { // in any order, into a map
		t := &valueType{kind: kindPrimitive, prim: p}
		t.measure()
		all[p] = t
	}
	return all
}()

// funcType is the type of a component function.
type funcType struct {
	async  bool
	params []field
	result *valueType // nil if it has none
	nodes  uint64
}

// entity is the type of an import or export.
type entity struct {
	sort sort
	// typ is a *moduleType, *funcType, *componentType or *instanceType; of a type, what its index has then.
	typ anyType
	// referenced is the type that an imported or exported type is equal to; of a fresh resource, the same as typ.
	referenced anyType
}

// externs are imports or exports in their order.
type externs struct {
	items []extern
	index map[string]int
}

type extern struct {
	name string
	entity
}

func (e *externs) add(name string, item entity) {
	if e.index == nil {
		e.index = map[string]int{}
	}
	e.index[name] = len(e.items)
	e.items = append(e.items, extern{name, item})
}

func (e *externs) find(name string) (entity, bool) {
	i, ok := e.index[name]
	if !ok {
		return entity{}, false
	}
	return e.items[i].entity, true
}

// resourcePath says which import or export names a resource: the place of an extern, and places in the instances below.
type resourcePath struct {
	resource *resource
	path     []int
}

// instanceType is the type of a component instance.
type instanceType struct {
	exports externs
	fresh   []resourcePath // resources that each import or export of the type creates
	nodes   uint64
}

// componentType is the type of a component.
type componentType struct {
	imports, exports externs
	imported         []resourcePath // resources that arguments supply
	fresh            []resourcePath // resources that each instance creates
	nodes            uint64
}

// nodesOf gives the number of types that a comparison of a type visits.
func nodesOf(t anyType) uint64 {
	switch t := t.(type) {
	case *valueType:
		return t.nodes
	case *funcType:
		return t.nodes
	case *instanceType:
		return t.nodes
	case *componentType:
		return t.nodes
	case *moduleType:
		return uint64(len(t.imports) + len(t.exports.items))
	}
	return 1
}

// add and multiply stop at the largest number, so that limits can be compared afterwards.
func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func multiply(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}
