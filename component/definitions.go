package component

// A sort names an index space. The values are those of the binary format; core sorts follow after coreSort.
type sort uint16

const (
	sortFunc      sort = 0x01
	sortValue     sort = 0x02
	sortType      sort = 0x03
	sortComponent sort = 0x04
	sortInstance  sort = 0x05

	coreSort         sort = 0x100
	sortCoreFunc          = coreSort + 0x00
	sortCoreTable         = coreSort + 0x01
	sortCoreMemory        = coreSort + 0x02
	sortCoreGlobal        = coreSort + 0x03
	sortCoreTag           = coreSort + 0x04
	sortCoreType          = coreSort + 0x10
	sortCoreModule        = coreSort + 0x11
	sortCoreInstance      = coreSort + 0x12
)

var sortNames = map[sort]string{
	sortFunc: "func", sortValue: "value", sortType: "type", sortComponent: "component", sortInstance: "instance",
	sortCoreFunc: "function", sortCoreTable: "table", sortCoreMemory: "memory", sortCoreGlobal: "global",
	sortCoreTag: "tag", sortCoreType: "core type", sortCoreModule: "module", sortCoreInstance: "core instance",
}

func (s sort) String() string { return sortNames[s] }

// A definition of a component, as the binary format has it: indices are not resolved. Offset is where it begins.
type definition struct {
	offset int
	body   any // one of the types below
}

// definitions is a component: its definitions in their order.
type definitions []definition

type (
	coreModule   struct{ data []byte }
	coreInstance struct{ expression any } // coreInstantiate or coreExports
	coreTypeDef  struct{ types []any }    // *coreFunc, otherCoreType or moduleDeclarations
	nested       struct{ component definitions }
	instance     struct{ expression any } // instantiate or inlineExports
	typeDef      struct{ body any }       // one of those of type_definitions
	startOrValue struct{ section string } // refused by validation
	importDef    struct{ externDecl }
	exportDef    struct {
		name     externName
		item     sortIndex
		ascribed *externDecl // without a name
	}
)

type sortIndex struct {
	sort  sort
	index uint32
}

// Instances.
type (
	coreInstantiate struct {
		module uint32
		args   []argument // sortCoreInstance
	}
	coreExports struct{ exports []argument }
	instantiate struct {
		component uint32
		args      []argument
	}
	inlineExports struct{ exports []inlineExport }
	argument      struct {
		name   string
		item   sortIndex
		offset int
	}
	inlineExport struct {
		name   externName
		item   sortIndex
		offset int
	}
)

// Aliases. Each adds an item to the index space of its sort.
type (
	exportAlias struct {
		sort     sort
		instance uint32
		name     string
	}
	coreExportAlias struct {
		sort     sort
		instance uint32
		name     string
	}
	outerAlias struct {
		sort         sort
		count, index uint32 // scopes to skip, index there
	}
)

// externName is the name of an import or export with its attributes.
type externName struct {
	name       string
	attributes []attribute
}

type attribute struct {
	kind  byte // attributeImplements …
	value string
}

const (
	attributeImplements    = 0x00
	attributeVersionSuffix = 0x01
	attributeExternalID    = 0x02
)

var attributeNames = map[byte]string{
	attributeImplements: "implements", attributeVersionSuffix: "versionsuffix", attributeExternalID: "external-id",
}

// externDecl declares an import or an export.
type externDecl struct {
	name  externName
	sort  sort
	index uint32   // of the type; unused if bound is sub
	sub   bool     // (sub resource): a fresh resource type
	value valueRef // of a value
	eq    bool     // a value: equal to the value with the index
}

// valueRef is a value type: a primitive type, or the index of a type.
type valueRef struct {
	primitive primitive // zero if it is an index
	index     uint32
}

// Types.
type (
	resourceDef struct {
		rep        byte // the code of the core type that represents it
		destructor *uint32
	}
	funcDef struct {
		async  bool
		params []fieldRef
		result *valueRef
	}
	valueTypeDef struct {
		kind   typeKind
		fields []fieldRef // of records, variants, tuples, flags and enums; the payloads of the others
		length uint32     // of a list of fixed length
		index  uint32     // the resource of own and borrow
		prim   primitive
	}
	fieldRef struct {
		name string
		typ  *valueRef // nil if it has none
	}
	componentTypeDef struct{ declarations []definition } // importDef, coreTypeDef, typeDef, aliases, exportDecl
	instanceTypeDef  struct{ declarations []definition }
	exportDecl       struct{ externDecl }
	moduleTypeDef    struct{ declarations []definition } // moduleImport, coreTypeDef, outerAlias, moduleExport
	moduleImport     struct {
		module, name string
		item         coreExternRef
	}
	moduleExport struct {
		name string
		item coreExternRef
	}
)
