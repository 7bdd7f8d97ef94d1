package rewrite_test

import "strings"

// Why a command of the suite does not hold for a rewritten module.
const (
	garbageCollection = "garbage collection"
	typedReferences   = "typed function references and table initializers"
	exceptions        = "exceptions"
	multiMemory       = "more than one memory"
	relaxedSIMD       = "relaxed SIMD"
	extendedConst     = "arithmetic and the module's own globals in constant expressions"
	tableLimit        = "a table larger than the implementation limit"
	loweredWidth      = "lowering forgets the width of an imported memory or table; canisters import neither"
	engineElements    = "the engine passes over an active element segment that does not fit its table"
)

// unsupportedRows lists by name what the suite asks and the Internet Computer
// does not have, or cannot ask: commands as script:line,line,….
var unsupportedRows = []struct{ reason, commands string }{
	{garbageCollection, `
		array.wast:3,37,60,106,151,219,332 array_copy.wast:54 array_fill.wast:38 array_init_data.wast:31,113
		array_init_elem.wast:44,117,160 array_new_data.wast:1,23,89,105,120 array_new_elem.wast:3,29,51,77,106 br_on_cast.wast:3,104,211
		br_on_cast_fail.wast:3,104,226 extern.wast:1 i31.wast:1,61,128,140,150,168 ref_cast.wast:3,99 ref_eq.wast:1 ref_test.wast:3,182
		struct.wast:3,25,48,70,145,160 table_init.wast:2272 table_init64.wast:2457 type-canon.wast:1,9
		type-equivalence.wast:5,16,30,38,49,107,136,161,195,200,208,218,233,238,246,257,268,279,290,308
		type-rec.wast:3,39,45,71,78,137,143,148,156,167,176,185,197
		type-subtyping.wast:3,15,24,37,43,53,68,89,115,124,151,159,177,188,283,344,373,402,414,432,444,455,476,492,515,525,540,551,564,574,584,594,602,610,620,626,632,642,652,659,668,675,682,693,706,713,722,731,746,752,760,767,954,980`},
	{typedReferences, `
		br_on_non_null.wast:1,57,65 br_on_null.wast:1,38,46 call_ref.wast:1,129,138,151
		elem.wast:87,315,448,453,465,470,482,487,499,504,539,544,556,561,573,578 global.wast:634
		linking.wast:96,112,137,141,145,150,154,158,163,167,171,175,198,202,206,210,215,219,223,227,232,236,240,244,426,434,450,454
		local_init.wast:3,66 ref.wast:3 ref_as_non_null.wast:1,41 ref_is_null.wast:66,67,71 ref_null.wast:1,23
		return_call_ref.wast:3,213,299,308,321 table-sub.wast:1 table.wast:14,19,20,21,86,93 unreached-valid.wast:82`},
	{exceptions, `
		imports.wast:239,243,247,251,255 tag.wast:3,13,30,40,48,59 throw.wast:3 throw_ref.wast:3 try_table.wast:3,10,342,376,420,499`},
	{multiMemory, `
		address0.wast:3 address1.wast:3 align0.wast:3 binary0.wast:2,8,16,26,36 data0.wast:5,43
		data1.wast:3,13,23,32,41,60,71,88,98,108,117,127,136 data_drop0.wast:2 exports0.wast:5,6,32,40 float_exprs0.wast:1
		float_exprs1.wast:4 float_memory0.wast:5,35 imports0.wast:1 imports1.wast:1 imports2.wast:1,9,33,39
		imports3.wast:1,19,26,33,40,47,54,62,69 imports4.wast:1,8,19,28,39 linking0.wast:16,30,42 linking1.wast:1,14 linking2.wast:1
		linking3.wast:1 load0.wast:3 load1.wast:10,25,26,27,28,29 load2.wast:1 memory-multi.wast:5,26 memory_copy0.wast:2
		memory_copy1.wast:2 memory_fill0.wast:2 memory_grow.wast:1,7,81 memory_init0.wast:2 memory_size0.wast:1 memory_size1.wast:1
		memory_size2.wast:1 memory_size_import.wast:1,7 memory_trap0.wast:1 memory_trap1.wast:1 simd_memory-multi.wast:5 start0.wast:1
		store0.wast:3 store1.wast:30 store2.wast:6 traps0.wast:1`},
	{relaxedSIMD, `
		i16x8_relaxed_q15mulr_s.wast:3 i32x4_relaxed_trunc.wast:3 i8x16_relaxed_swizzle.wast:3 relaxed_dot_product.wast:3
		relaxed_laneselect.wast:3 relaxed_madd_nmadd.wast:3,205 relaxed_min_max.wast:3`},
	{extendedConst, `
		data.wast:89,90,178,183,188,195 elem.wast:178,182,1057,1068,1079,1092 global.wast:373,374`},
	{tableLimit, `
		table.wast:9 table64.wast:9`},
	{loweredWidth, `
		memory64-imports.wast:52,56,60,64,158,162,166`},
	{engineElements, `
		elem.wast:593,602,611,620,627,635,644,652,661,669,678,686 linking.wast:378,401,566`},
}

// unsupportedCommands maps "script" or "script:line" to the reason.
var unsupportedCommands = func() map[string]string {
	list := map[string]string{}
	for _, row := range unsupportedRows {
		for entry := range strings.FieldsSeq(row.commands) {
			script, lines, partial := strings.Cut(entry, ":")
			if !partial {
				list[script] = row.reason
				continue
			}
			for line := range strings.SplitSeq(lines, ",") {
				list[script+":"+line] = row.reason
			}
		}
	}
	return list
}()
