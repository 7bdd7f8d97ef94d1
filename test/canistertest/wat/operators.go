package wat

import (
	"strconv"
	"strings"
	"sync"
)

// immediate says what follows an operator in the text and how it is encoded.
type immediate uint8

const (
	immNone immediate = iota
	immLabel
	immLabels // br_table
	immFunction
	immIndirect // table, type use
	immType
	immTag
	immLocal
	immGlobal
	immTable
	immTwoTables
	immTableInit
	immElem
	immMemory
	immTwoMemories
	immMemoryInit
	immData
	immAccess // memory argument
	immAccessLane
	immLane
	immShuffle
	immI32
	immI64
	immF32
	immF64
	immV128
	immSelect
	immHeap
	immField
	immFixed // type, count
	immTypeData
	immTypeElem
	immTwoTypes
	immCast
	immBranchCast
	immBlock
)

var immediateWords = map[string]immediate{
	"-": immNone, "label": immLabel, "labels": immLabels, "func": immFunction, "indirect": immIndirect,
	"type": immType, "tag": immTag, "local": immLocal, "global": immGlobal, "table": immTable,
	"table2": immTwoTables, "tableinit": immTableInit, "elem": immElem, "memory": immMemory,
	"memory2": immTwoMemories, "memoryinit": immMemoryInit, "data": immData, "access": immAccess,
	"accesslane": immAccessLane, "lane": immLane, "shuffle": immShuffle, "i32": immI32, "i64": immI64,
	"f32": immF32, "f64": immF64, "v128": immV128, "select": immSelect, "heap": immHeap, "field": immField,
	"fixed": immFixed, "typedata": immTypeData, "typeelem": immTypeElem, "type2": immTwoTypes,
	"cast": immCast, "brcast": immBranchCast, "block": immBlock,
}

// operator is one row of the instruction index: prefix 0 means none.
type operator struct {
	prefix    byte
	immediate immediate
	align     uint8 // log2 of the natural alignment of an access
	code      uint32
}

// operatorRows lists every instruction: prefix and first code in hexadecimal,
// immediate (an access with its natural alignment), then names for codes in
// sequence; a dot leaves a code out.
const operatorRows = `
00 00 - unreachable nop
00 02 block block loop if
00 08 tag throw
00 0a - throw_ref
00 0c label br br_if
00 0e labels br_table
00 0f - return
00 10 func call
00 11 indirect call_indirect
00 12 func return_call
00 13 indirect return_call_indirect
00 14 type call_ref return_call_ref
00 1a - drop
00 1b select select
00 1f block try_table
00 20 local local.get local.set local.tee
00 23 global global.get global.set
00 25 table table.get table.set
00 28 access2 i32.load
00 29 access3 i64.load
00 2a access2 f32.load
00 2b access3 f64.load
00 2c access0 i32.load8_s i32.load8_u
00 2e access1 i32.load16_s i32.load16_u
00 30 access0 i64.load8_s i64.load8_u
00 32 access1 i64.load16_s i64.load16_u
00 34 access2 i64.load32_s i64.load32_u i32.store
00 37 access3 i64.store
00 38 access2 f32.store
00 39 access3 f64.store
00 3a access0 i32.store8
00 3b access1 i32.store16
00 3c access0 i64.store8
00 3d access1 i64.store16
00 3e access2 i64.store32
00 3f memory memory.size memory.grow
00 41 i32 i32.const
00 42 i64 i64.const
00 43 f32 f32.const
00 44 f64 f64.const
00 45 - i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
00 50 - i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
00 5b - f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
00 67 - i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u
00 71 - i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
00 79 - i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u
00 83 - i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
00 8b - f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt
00 92 - f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign
00 99 - f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt
00 a0 - f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign
00 a7 - i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
00 ac - i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u
00 b2 - f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64
00 b7 - f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
00 bc - i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
00 c0 - i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s
00 d0 heap ref.null
00 d1 - ref.is_null
00 d2 func ref.func
00 d3 - ref.eq ref.as_non_null
00 d5 label br_on_null br_on_non_null

fb 00 type struct.new struct.new_default
fb 02 field struct.get struct.get_s struct.get_u struct.set
fb 06 type array.new array.new_default
fb 08 fixed array.new_fixed
fb 09 typedata array.new_data
fb 0a typeelem array.new_elem
fb 0b type array.get array.get_s array.get_u array.set
fb 0f - array.len
fb 10 type array.fill
fb 11 type2 array.copy
fb 12 typedata array.init_data
fb 13 typeelem array.init_elem
fb 14 cast ref.test . ref.cast
fb 18 brcast br_on_cast br_on_cast_fail
fb 1a - any.convert_extern extern.convert_any ref.i31 i31.get_s i31.get_u

fc 00 - i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
fc 04 - i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u
fc 08 memoryinit memory.init
fc 09 data data.drop
fc 0a memory2 memory.copy
fc 0b memory memory.fill
fc 0c tableinit table.init
fc 0d elem elem.drop
fc 0e table2 table.copy
fc 0f table table.grow table.size table.fill

fd 00 access4 v128.load
fd 01 access3 v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u
fd 07 access0 v128.load8_splat
fd 08 access1 v128.load16_splat
fd 09 access2 v128.load32_splat
fd 0a access3 v128.load64_splat
fd 0b access4 v128.store
fd 0c v128 v128.const
fd 0d shuffle i8x16.shuffle
fd 0e - i8x16.swizzle i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat
fd 15 lane i8x16.extract_lane_s i8x16.extract_lane_u i8x16.replace_lane
fd 18 lane i16x8.extract_lane_s i16x8.extract_lane_u i16x8.replace_lane
fd 1b lane i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane
fd 1f lane f32x4.extract_lane f32x4.replace_lane f64x2.extract_lane f64x2.replace_lane
fd 23 - i8x16.eq i8x16.ne i8x16.lt_s i8x16.lt_u i8x16.gt_s i8x16.gt_u i8x16.le_s i8x16.le_u i8x16.ge_s i8x16.ge_u
fd 2d - i16x8.eq i16x8.ne i16x8.lt_s i16x8.lt_u i16x8.gt_s i16x8.gt_u i16x8.le_s i16x8.le_u i16x8.ge_s i16x8.ge_u
fd 37 - i32x4.eq i32x4.ne i32x4.lt_s i32x4.lt_u i32x4.gt_s i32x4.gt_u i32x4.le_s i32x4.le_u i32x4.ge_s i32x4.ge_u
fd 41 - f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge
fd 4d - v128.not v128.and v128.andnot v128.or v128.xor v128.bitselect v128.any_true
fd 54 accesslane0 v128.load8_lane
fd 55 accesslane1 v128.load16_lane
fd 56 accesslane2 v128.load32_lane
fd 57 accesslane3 v128.load64_lane
fd 58 accesslane0 v128.store8_lane
fd 59 accesslane1 v128.store16_lane
fd 5a accesslane2 v128.store32_lane
fd 5b accesslane3 v128.store64_lane
fd 5c access2 v128.load32_zero
fd 5d access3 v128.load64_zero
fd 5e - f32x4.demote_f64x2_zero f64x2.promote_low_f32x4
fd 60 - i8x16.abs i8x16.neg i8x16.popcnt i8x16.all_true i8x16.bitmask i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u
fd 67 - f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest i8x16.shl i8x16.shr_s i8x16.shr_u
fd 6e - i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u f64x2.ceil f64x2.floor
fd 76 - i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u f64x2.trunc i8x16.avgr_u
fd 7c - i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u
fd 7e - i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u
fd 80 - i16x8.abs i16x8.neg i16x8.q15mulr_sat_s i16x8.all_true i16x8.bitmask i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u
fd 87 - i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u
fd 8b - i16x8.shl i16x8.shr_s i16x8.shr_u i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u
fd 94 - f64x2.nearest i16x8.mul i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u . i16x8.avgr_u
fd 9c - i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u
fd a0 - i32x4.abs i32x4.neg . i32x4.all_true i32x4.bitmask
fd a7 - i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u
fd ab - i32x4.shl i32x4.shr_s i32x4.shr_u i32x4.add . . i32x4.sub . . . i32x4.mul
fd b6 - i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s
fd bc - i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u
fd c0 - i64x2.abs i64x2.neg . i64x2.all_true i64x2.bitmask
fd c7 - i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u
fd cb - i64x2.shl i64x2.shr_s i64x2.shr_u i64x2.add . . i64x2.sub . . . i64x2.mul
fd d6 - i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s
fd dc - i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u
fd e0 - f32x4.abs f32x4.neg . f32x4.sqrt f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax
fd ec - f64x2.abs f64x2.neg . f64x2.sqrt f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax
fd f8 - i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u
fd fc - i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u
fd 100 - i8x16.relaxed_swizzle i32x4.relaxed_trunc_f32x4_s i32x4.relaxed_trunc_f32x4_u
fd 103 - i32x4.relaxed_trunc_f64x2_s_zero i32x4.relaxed_trunc_f64x2_u_zero
fd 105 - f32x4.relaxed_madd f32x4.relaxed_nmadd f64x2.relaxed_madd f64x2.relaxed_nmadd
fd 109 - i8x16.relaxed_laneselect i16x8.relaxed_laneselect i32x4.relaxed_laneselect i64x2.relaxed_laneselect
fd 10d - f32x4.relaxed_min f32x4.relaxed_max f64x2.relaxed_min f64x2.relaxed_max
fd 111 - i16x8.relaxed_q15mulr_s i16x8.relaxed_dot_i8x16_i7x16_s i32x4.relaxed_dot_i8x16_i7x16_add_s
`

var operators = sync.OnceValue(func() map[string]operator {
	index := make(map[string]operator, 700)
	for row := range strings.Lines(operatorRows) {
		words := strings.Fields(row)
		if len(words) == 0 {
			continue
		}
		op := operator{prefix: byte(hexWord(words[0])), code: uint32(hexWord(words[1]))}
		name := words[2]
		if strings.HasPrefix(name, "access") {
			op.align = name[len(name)-1] - '0'
			name = name[:len(name)-1]
		}
		op.immediate = immediateWords[name]
		for _, name := range words[3:] {
			if name != "." {
				index[name] = op
			}
			op.code++
		}
	}
	return index
})

func hexWord(word string) uint64 {
	n, err := strconv.ParseUint(word, 16, 32)
	if err != nil {
		panic("operator row: " + err.Error())
	}
	return n
}
