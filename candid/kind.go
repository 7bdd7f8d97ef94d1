package candid

// Kind is the outermost constructor of a type.
type Kind uint8

// The kinds, in the order of their opcodes (Candid specification, "Types"):
// the opcode of kind k is −k.
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNat
	KindInt
	KindNat8
	KindNat16
	KindNat32
	KindNat64
	KindInt8
	KindInt16
	KindInt32
	KindInt64
	KindFloat32
	KindFloat64
	KindText
	KindReserved
	KindEmpty
	KindOpt
	KindVec
	KindRecord
	KindVariant
	KindFunc
	KindService
	KindPrincipal
	// KindFuture is a type of a later version of Candid: a value of it can be skipped, and read as a missing option. As
	// a type to read or write at, which only Decode can return, it is reserved.
	KindFuture
	// KindNamed is a name for another type, used for recursion. Kind never returns it.
	KindNamed
)

const kindCount = int(KindNamed) + 1

var kindNames = [kindCount]string{
	"invalid", "null", "bool", "nat", "int", "nat8", "nat16", "nat32", "nat64",
	"int8", "int16", "int32", "int64", "float32", "float64", "text", "reserved",
	"empty", "opt", "vec", "record", "variant", "func", "service", "principal",
	"future", "named",
}

// String returns the keyword of the kind.
func (k Kind) String() string {
	if int(k) < kindCount {
		return kindNames[k]
	}
	return "invalid"
}

// primitive reports whether the kind is written in place, as its opcode,
// instead of in the type table.
func (k Kind) primitive() bool {
	return k >= KindNull && k <= KindEmpty || k == KindPrincipal
}

var primitives = func() (all [kindCount]*Type) {
	for k := range all {
		if Kind(k).primitive() {
			all[k] = &Type{kind: Kind(k)}
		}
	}
	return all
}()

var blobType = &Type{kind: KindVec, elem: primitives[KindNat8]}

// Type returns the type of a primitive kind. It panics for the others: those need parts, see [OptOf], [VecOf],
// [RecordOf], [VariantOf], [FuncOf], [ServiceOf].
func (k Kind) Type() *Type {
	if !k.primitive() {
		panic("candid: " + k.String() + " is not a primitive type")
	}
	return primitives[k]
}

// PrimitiveByName returns the primitive type with this keyword.
func PrimitiveByName(keyword string) (*Type, bool) {
	for k, name := range kindNames {
		if name == keyword && Kind(k).primitive() {
			return primitives[k], true
		}
	}
	return nil, false
}
