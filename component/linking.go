package component

// Linking says how the core modules of a component are linked, and which of their functions it exports: what a program needs
// that makes one module of a component.
type Linking struct {
	Imports []Extern       // of the component, as Describe gives them
	Modules []LinkedModule // instances of core modules, in the order in which they are made
	Exports []LinkedExport
}

// LinkedModule is an instance of a core module, with what its imports are.
type LinkedModule struct {
	Binary  []byte
	Imports map[CoreImport]CoreItem
}

// CoreImport names an import of a core module.
type CoreImport struct{ Module, Name string }

// CoreItem is a function, table, memory or global: an export of an instance of a core module, or the function of a canonical
// definition.
type CoreItem struct {
	Module int // place in Linking.Modules; unused if Canon is set
	Name   string
	Canon  *Canon
}

// Canon is a canonical definition that defines a core function.
type Canon struct {
	Name            string         // as in the text format: "lower", "task.return"
	Params, Results []byte         // core types of the function, by their codes
	Func            *ComponentFunc // that is lowered
	Result          Type           // that task.return returns
	Resource        Type           // of resource.new, resource.rep and resource.drop
	Own             *OwnResource   // the same if the component defines it; nil if it imports it
	Element         Type           // of the stream or future, zero if it has none; equal for two that may be the two ends of one
	Slot            uint32         // of context.get and context.set
	Options         CanonOptions
}

// OwnResource is a resource type that an instance of a component defines.
type OwnResource struct {
	Destructor *CoreItem // nil if it has none
}

// CanonOptions are the options of a canonical definition. Those that are not given are nil. Functions that cancel are Async as those
// that they cancel.
type CanonOptions struct {
	UTF8, Async                           bool
	Memory, Realloc, PostReturn, Callback *CoreItem
}

// ComponentFunc is a function of the component: one that it imports, or one that it lifts.
type ComponentFunc struct {
	Import  string    // its name, INSTANCE#FUNCTION if an instance has it; empty for one that is lifted
	Core    *CoreItem // that is lifted
	Type    FuncType
	Options CanonOptions
}

// LinkedExport is a function that the component exports, by its name or INSTANCE#FUNCTION.
type LinkedExport struct {
	Name string
	Func *ComponentFunc
}

// Link describes how a component is linked. Like [Describe], it does not validate the code of core modules. The error of a
// component that is not valid is an [*Invalid].
func Link(binary []byte) (found *Linking, err error) {
	scope, err := check(binary, func([]byte) error { return nil })
	if err != nil {
		return nil, err
	}
	l := &linking{linking: Linking{Imports: describeExterns(&scope.imports)}, elements: newElementTypes()}
	args := map[string]linkedItem{}
	for _, e := range scope.imports.items {
		args[e.name] = importedItem(e.name, e.entity)
	}
	defer caught(&err)
	l.exported("", l.instantiate(&linkedComponent{scope: scope}, args))
	return &l.linking, err
}

func (l *linking) exported(prefix string, exports *linkedExports) {
	for i, item := range exports.items {
		name := prefix + exports.names[i]
		if item.function != nil {
			l.linking.Exports = append(l.linking.Exports, LinkedExport{name, item.function})
		}
		if item.instance != nil {
			l.exported(name+"#", item.instance)
		}
	}
}

// importedItem is an import of the outermost component.
func importedItem(name string, e entity) (item linkedItem) {
	switch t := e.typ.(type) {
	case *funcType:
		item.function = &ComponentFunc{Import: name, Type: *describeFunc(t)}
	case *instanceType:
		if e.sort != sortInstance {
			return item
		}
		item.instance = &linkedExports{}
		for _, export := range t.exports.items {
			item.instance.add(export.name, importedItem(name+"#"+export.name, export.entity))
		}
	}
	return item
}

// Layout gives the size and alignment of values of the type in memory, and where the fields of a record or tuple, or the
// payloads of a variant, option or result begin.
func (t Type) Layout() (size, align uint64, offsets []uint64) {
	of, ok := t.of.(*valueType)
	if !ok {
		return 0, 1, nil
	}
	next := uint64(0)
	for _, f := range of.fields {
		switch of.kind {
		case kindRecord, kindTuple:
			next = alignTo(next, f.typ.size32.align)
			offsets = append(offsets, next)
			next += f.typ.size32.size
		case kindVariant, kindOption, kindResult:
			offsets = append(offsets, of.payloadOffset(4))
		}
	}
	return of.size32.size, of.size32.align, offsets
}

// ParamsLayout gives the layout of the parameters in memory: that of a tuple.
func (f FuncType) ParamsLayout() (size, align uint64, offsets []uint64) {
	t := &valueType{kind: kindTuple}
	for _, p := range f.Params {
		t.fields = append(t.fields, field{typ: p.Type.of.(*valueType)})
	}
	t.measure()
	return Type{t}.Layout()
}

// DiscriminantSize gives the number of bytes in memory that tell the cases of a variant, option, result or enum apart, and the
// size of flags.
func (t Type) DiscriminantSize() uint64 {
	of, ok := t.of.(*valueType)
	switch {
	case !ok:
		return 0
	case of.kind == kindFlags:
		return flagsSize(len(of.fields))
	}
	return discriminantSize(of.cases())
}

// FlatCount gives the number of core values that a value is passed as, without memory.
func (t Type) FlatCount() uint64 {
	if of, ok := t.of.(*valueType); ok {
		return of.flat
	}
	return 0
}

// MaxFlatParams is the number of core values that parameters, or the result that task.return gets, are passed as. More are
// passed in memory (specification: MAX_FLAT_PARAMS).
const MaxFlatParams = maxFlatParams

// linkedItem is an item of an index space. Only the field of its sort is set; types other than resources have none.
type linkedItem struct {
	module    *linkedCode
	function  *ComponentFunc
	component *linkedComponent
	instance  *linkedExports
	resource  *OwnResource
}

// linkedExports are the exports of an instance in their order.
type linkedExports struct {
	names []string
	items []linkedItem
	index map[string]int
}

func (e *linkedExports) add(name string, item linkedItem) {
	if e.index == nil {
		e.index = map[string]int{}
	}
	e.index[name] = len(e.items)
	e.names, e.items = append(e.names, name), append(e.items, item)
}

func (e *linkedExports) find(name string) linkedItem {
	if i, ok := e.index[name]; ok {
		return e.items[i]
	}
	return linkedItem{}
}

// linkedComponent is a component with the index spaces that it was defined in, for outer aliases.
type linkedComponent struct {
	scope *scope
	outer *indexSpaces[linkedItem, CoreItem]
}
