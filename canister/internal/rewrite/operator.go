package rewrite

// valueType is a value type as a letter: the tables of operators use these letters.
type valueType byte

const (
	typeI32     valueType = 'i'
	typeI64     valueType = 'I'
	typeF32     valueType = 'f'
	typeF64     valueType = 'F'
	typeV128    valueType = 'v'
	typeFunc    valueType = 'r'
	typeExtern  valueType = 'e'
	typeUnknown valueType = '?' // bottom: an operand of unreachable code
)

func (t valueType) reference() bool { return t == typeFunc || t == typeExtern }

// encoded returns the byte of the binary format.
func (t valueType) encoded() byte {
	switch t {
	case typeI32:
		return 0x7f
	case typeI64:
		return 0x7e
	case typeF32:
		return 0x7d
	case typeF64:
		return 0x7c
	case typeV128:
		return 0x7b
	case typeFunc:
		return 0x70
	default:
		return 0x6f
	}
}

func decodeType(b byte) (valueType, bool) {
	switch b {
	case 0x7f:
		return typeI32, true
	case 0x7e:
		return typeI64, true
	case 0x7d:
		return typeF32, true
	case 0x7c:
		return typeF64, true
	case 0x7b:
		return typeV128, true
	case 0x70:
		return typeFunc, true
	case 0x6f:
		return typeExtern, true
	}
	return 0, false
}

func (t valueType) String() string {
	switch t {
	case typeI32:
		return "i32"
	case typeI64:
		return "i64"
	case typeF32:
		return "f32"
	case typeF64:
		return "f64"
	case typeV128:
		return "v128"
	case typeFunc:
		return "funcref"
	case typeExtern:
		return "externref"
	}
	return "bottom"
}

// operator is an operator without immediates.
type operator struct {
	name         string
	in, out      string // operand and result letters
	cost, weight uint16
}

type access uint8

const (
	loadAccess access = iota
	storeAccess
)

// accessOperator is a scalar load or store; align is the exponent of its natural alignment.
type accessOperator struct {
	name         string
	access       access
	value        valueType
	align        uint8
	cost, weight uint16
}

const firstMemoryOp = 0x28

type immediate uint8

const (
	noImmediate immediate = iota
	memoryImmediate
	memoryLaneImmediate
	laneImmediate
	vectorConstant
	shuffleImmediate
)

// vectorOperator is a SIMD operator; lanes limits its lane immediates.
type vectorOperator struct {
	name      string
	in, out   string
	immediate immediate
	align     uint8
	lanes     uint8
	cost      uint16
}

// Opcodes that the pass handles individually.
const (
	opUnreachable        = 0x00
	opNop                = 0x01
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opEnd                = 0x0b
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opDrop               = 0x1a
	opSelect             = 0x1b
	opSelectTyped        = 0x1c
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opLocalTee           = 0x22
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opTableGet           = 0x25
	opTableSet           = 0x26
	opI32Load8U          = 0x2d
	opI64Load8U          = 0x31
	opI64Load16U         = 0x33
	opI64Load32U         = 0x35
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opI32GtU             = 0x4b
	opI64Eqz             = 0x50
	opI64Ne              = 0x52
	opI64LtS             = 0x53
	opI64LtU             = 0x54
	opI64GtU             = 0x56
	opF32Eq              = 0x5b
	opF32Ne              = 0x5c
	opF64Eq              = 0x61
	opF64Ne              = 0x62
	opI32Add             = 0x6a
	opI32Sub             = 0x6b
	opI64DivU            = 0x80
	opI64RemU            = 0x82
	opI32LtS             = 0x48
	opI64Popcnt          = 0x7b
	opI64Add             = 0x7c
	opI64Sub             = 0x7d
	opI64And             = 0x83
	opI64Or              = 0x84
	opI64Xor             = 0x85
	opI64Shl             = 0x86
	opI64ShrU            = 0x88
	opI32WrapI64         = 0xa7
	opI64ExtendI32S      = 0xac
	opI64ExtendI32U      = 0xad
	opRefNull            = 0xd0
	opRefIsNull          = 0xd1
	opRefFunc            = 0xd2
	opMisc               = 0xfc
	opVector             = 0xfd

	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17

	vectorConst     = 0x0c
	vectorF32Eq     = 0x41
	vectorF64Eq     = 0x47
	vectorBitselect = 0x52

	blockEmpty = 0x40
)
