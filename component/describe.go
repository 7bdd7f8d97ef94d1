package component

import "slices"

// Kind is the constructor of a type.
type Kind uint8

// The kinds of types. The primitive ones come first.
const (
	KindBool         = Kind(primBool)
	KindS8           = Kind(primS8)
	KindU8           = Kind(primU8)
	KindS16          = Kind(primS16)
	KindU16          = Kind(primU16)
	KindS32          = Kind(primS32)
	KindU32          = Kind(primU32)
	KindS64          = Kind(primS64)
	KindU64          = Kind(primU64)
	KindF32          = Kind(primF32)
	KindF64          = Kind(primF64)
	KindChar         = Kind(primChar)
	KindString       = Kind(primString)
	KindErrorContext = Kind(primErrorContext)
)

// The kinds of types that are made of others.
const (
	KindRecord Kind = iota + Kind(primErrorContext) + 1
	KindVariant
	KindList
	KindFixedList
	KindMap
	KindTuple
	KindFlags
	KindEnum
	KindOption
	KindResult
	KindOwn
	KindBorrow
	KindStream
	KindFuture
	KindResource
)

// constructors are the constructors of the kinds that are not primitive.
var constructors = []typeKind{
	KindRecord: kindRecord, KindVariant: kindVariant, KindList: kindList, KindFixedList: kindFixedList, KindMap: kindMap,
	KindTuple: kindTuple, KindFlags: kindFlags, KindEnum: kindEnum, KindOption: kindOption, KindResult: kindResult,
	KindOwn: kindOwn, KindBorrow: kindBorrow, KindStream: kindStream, KindFuture: kindFuture,
}

func (k Kind) String() string {
	switch {
	case k == 0:
		return "none"
	case k == KindResource:
		return "resource"
	case k <= KindErrorContext:
		return primitive(k).String()
	}
	return constructors[k].String()
}

// Type is a type that a component names or uses. Two types are equal if they are the same definition under the same name;
// resources are equal if they are the same resource. The zero value is none: of a case without a payload, for example.
type Type struct{ of anyType }

// Field is a field of a record, a case of a variant, a label of flags or of an enum, or a parameter. Elements of other types
// have no name.
type Field struct {
	Name string
	Type Type
}

// FuncType is the type of a function. The result is none if it has none.
type FuncType struct {
	Async  bool
	Params []Field
	Result Type
}

// Extern is an import or export of a component, or an export of an instance.
type Extern struct {
	Name string
	// Sort is func, instance, type, component or module.
	Sort string
	// Func is the type of a function.
	Func *FuncType
	// Instance has the exports of an instance.
	Instance []Extern
	// Type is a type by the name of the extern. It is equal to Referenced, which may have another name or none; a resource that
	// the extern introduces refers to itself.
	Type, Referenced Type
}

// Kind gives the constructor of the type.
func (t Type) Kind() Kind {
	switch of := t.of.(type) {
	case *resource:
		return KindResource
	case *valueType:
		if of.kind == kindPrimitive {
			return Kind(of.prim)
		}
		return Kind(slices.Index(constructors, of.kind))
	}
	return 0
}

// Fields gives the fields of a record, the cases of a variant, the labels of flags and enums, or the elements of another type:
// those of a tuple; ok and error of a result; key and value of a map; the one of a list, option, stream or future.
func (t Type) Fields() []Field {
	if of, ok := t.of.(*valueType); ok {
		return describeFields(of.fields)
	}
	return nil
}

// Element gives the element of a list, option, stream or future; none if a stream or future has none.
func (t Type) Element() Type {
	if fields := t.Fields(); len(fields) == 1 {
		return fields[0].Type
	}
	return Type{}
}

// Length gives the number of elements of a list of fixed length.
func (t Type) Length() uint32 {
	if of, ok := t.of.(*valueType); ok {
		return of.length
	}
	return 0
}

// Resource gives the resource of a handle.
func (t Type) Resource() Type {
	if of, ok := t.of.(*valueType); ok && of.resource != nil {
		return Type{of.resource.resource}
	}
	return Type{}
}

// Describe gives the imports and exports of a component in the binary format. It validates all but the code of core modules, so
// it takes no engine. The error of a component that is not valid is an [*Invalid].
func Describe(binary []byte) (imports, exports []Extern, err error) {
	s, err := check(binary, func([]byte) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	return describeExterns(&s.imports), describeExterns(&s.exports), nil
}

// Imports gives the imports of the component in their order.
func (c *Component) Imports() []Extern { return describeExterns(&c.scope.imports) }

// Exports gives the exports of the component in their order.
func (c *Component) Exports() []Extern { return describeExterns(&c.scope.exports) }

func describeExterns(e *externs) []Extern {
	all := make([]Extern, len(e.items))
	for i, item := range e.items {
		all[i] = describeExtern(item)
	}
	return all
}

func describeExtern(item extern) Extern {
	e := Extern{Name: item.name, Sort: item.sort.String()}
	switch t := item.typ.(type) {
	case *funcType:
		e.Func = describeFunc(t)
	case *instanceType:
		if item.sort == sortInstance {
			e.Instance = describeExterns(&t.exports)
		}
	case *resourceType:
		e.Type, e.Referenced = Type{t.resource}, Type{t.resource}
	case *valueType:
		e.Type = Type{t}
		if referenced, ok := item.referenced.(*valueType); ok {
			e.Referenced = Type{referenced}
		}
	}
	return e
}

func describeFunc(t *funcType) *FuncType {
	return &FuncType{Async: t.async, Params: describeFields(t.params), Result: describeType(t.result)}
}

func describeType(t *valueType) Type {
	if t == nil {
		return Type{}
	}
	return Type{t}
}

func describeFields(fields []field) []Field {
	all := make([]Field, len(fields))
	for i, f := range fields {
		all[i] = Field{f.name, describeType(f.typ)}
	}
	return all
}
