package syntax

// MaxTypeDepth limits how deeply a type expression nests.
const MaxTypeDepth = 1000

// Type is a type expression. Op is a keyword (opt, vec, blob, record, variant, func, service), the name of a primitive
// type, or "" if Name refers to a definition.
type Type struct {
	Op      string
	Name    string
	Elem    *Type
	Fields  []Field
	Func    *Func
	Methods []Method
	Pos     int
}

// FieldForm is how the label of a field is written.
type FieldForm uint8

// The three ways: name : T, 7 : T, T.
const (
	ByName FieldForm = iota
	ByNumber
	ByPosition
)

// Field is a field of a record or a case of a variant. ID is set for ByNumber
// and ByPosition; Type is nil for a case without a type.
type Field struct {
	Form FieldForm
	Name string
	ID   uint32
	Type *Type
	Pos  int
}

// Func is the type of a function.
type Func struct {
	Args, Results []Arg
	Modes         []string // query, oneway, composite_query
}

// Arg is an argument or result; Name may be "".
type Arg struct {
	Name string
	Type *Type
}

// Method is a method of a service: Type is a func or a name.
type Method struct {
	Name string
	Type *Type
	Pos  int
}
