package components

import "github.com/canisterd/canisterd/canister/internal/wasmfile"

// Core types by their codes.
const (
	typeI32     = 0x7f
	typeI64     = 0x7e
	typeF32     = 0x7d
	typeF64     = 0x7c
	typeFuncref = 0x70
)

// Operators of generated functions that package wasmfile does not name.
const (
	opReturn         = 0x0f
	opBranchIf       = 0x0d
	opLocalSet       = 0x21
	opI32Load        = 0x28
	opI64Load        = 0x29
	opF32Load        = 0x2a
	opF64Load        = 0x2b
	opI32Store       = 0x36
	opI64Store       = 0x37
	opF32Store       = 0x38
	opF64Store       = 0x39
	opI64Const       = 0x42
	opI32Eqz         = 0x45
	opI32Equal       = 0x46
	opI32NotEqual    = 0x47
	opI32GreaterU    = 0x4b
	opI64LessEqualU  = 0x58
	opI32Add         = 0x6a
	opI32Sub         = 0x6b
	opI32And         = 0x71
	opI32ShiftLeft   = 0x74
	opI32ShiftRightU = 0x76
	opI64Add         = 0x7c
	opI64ShiftLeft   = 0x86
	opI32WrapI64     = 0xa7
	opI64ExtendI32U  = 0xad
	opI32Reinterpret = 0xbc
	opI64Reinterpret = 0xbd
	opF32Reinterpret = 0xbe
	opF64Reinterpret = 0xbf
	miscMemoryInit   = 8
	miscMemoryCopy   = 10
	miscMemoryFill   = 11
)

// code is a sequence of instructions.
type code []byte

func (c code) op(ops ...byte) code { return append(c, ops...) }
func (c code) i32(n int32) code    { return wasmfile.AppendI32(append(c, wasmfile.OpI32Const), n) }

func (c code) get(local uint32) code {
	return wasmfile.AppendU32(append(c, wasmfile.OpLocalGet), local)
}
func (c code) set(local uint32) code { return wasmfile.AppendU32(append(c, opLocalSet), local) }
func (c code) global(i uint32) code  { return wasmfile.AppendU32(append(c, wasmfile.OpGlobalGet), i) }

func (c code) setGlobal(i uint32) code { return wasmfile.AppendU32(append(c, wasmfile.OpGlobalSet), i) }

func (c code) call(function uint32) code {
	return wasmfile.AppendU32(append(c, wasmfile.OpCall), function)
}

// when runs instructions if two numbers are equal.
func (c code) when(local uint32, number int32, then code) code {
	c = c.op(wasmfile.OpBlock, wasmfile.BlockEmpty).get(local).i32(number).op(opI32NotEqual, opBranchIf, 0)
	return append(append(c, then...), wasmfile.OpEnd)
}

// whenGlobal does so for a global.
func (c code) whenGlobal(global uint32, number int32, then code) code {
	c = c.op(wasmfile.OpBlock, wasmfile.BlockEmpty).global(global).i32(number).op(opI32NotEqual, opBranchIf, 0)
	return append(append(c, then...), wasmfile.OpEnd)
}

var loads = map[byte]byte{typeI32: opI32Load, typeI64: opI64Load, typeF32: opF32Load, typeF64: opF64Load}

var stores = map[byte]byte{typeI32: opI32Store, typeI64: opI64Store, typeF32: opF32Store, typeF64: opF64Store}

// access loads or stores at an offset from an address.
func (c code) access(op byte, offset uint32) code {
	return wasmfile.AppendU32(append(c, op, 0), offset)
}

// memoryInit copies a data segment to memory.
func (c code) memoryInit(segment uint32) code {
	return append(wasmfile.AppendU32(c.op(wasmfile.OpMisc, miscMemoryInit), segment), 0)
}

// functionType writes a type of functions.
func functionType(params, results []byte) string {
	return string(wasmfile.AppendBlock(wasmfile.AppendBlock([]byte{0x60}, params), results))
}

// signature reads a type of functions.
func signature(typ string) (params, results []byte) {
	r := wasmfile.NewReader([]byte(typ)[1:])
	return r.Block(), r.Block()
}
