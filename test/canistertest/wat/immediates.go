package wat

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// plain emits an operator that is not a block, with its immediates.
func (a *assembler) plain(op operator) {
	if op.prefix == 0 {
		a.code = append(a.code, byte(op.code))
	} else {
		a.code = appendUnsigned(append(a.code, op.prefix), uint64(op.code))
	}
	switch op.immediate {
	case immNone:
	case immFunction, immGlobal, immType, immTag, immElem, immData:
		a.usesDataCount = a.usesDataCount || op.immediate == immData
		a.emitIndex(spaceOfImmediate[op.immediate])
	case immTable:
		a.emit(a.optionalIndex(spaceTable))
	case immMemory:
		a.emit(a.optionalIndex(spaceMemory))
	case immTwoTables:
		a.twoOptional(spaceTable)
	case immTwoMemories:
		a.twoOptional(spaceMemory)
	case immTableInit:
		a.segmentInit(spaceTable, spaceElem)
	case immMemoryInit:
		a.usesDataCount = true
		a.segmentInit(spaceMemory, spaceData)
	case immAccess:
		a.access(op, a.isIndex())
	case immAccessLane:
		a.access(op, a.isIndex() && a.memoryBeforeLane())
		a.lanes(1)
	case immLane:
		a.lanes(1)
	case immShuffle:
		a.lanes(16)
	case immI32, immI64, immF32, immF64, immV128:
		a.constant(op.immediate)
	default:
		a.control(op)
	}
}

var spaceOfImmediate = map[immediate]int{
	immFunction: spaceFunction, immGlobal: spaceGlobal, immType: spaceType, immTag: spaceTag, immElem: spaceElem, immData: spaceData,
}

// control emits the immediates of control, parametric and variable instructions.
func (a *assembler) control(op operator) {
	switch op.immediate {
	case immLabel:
		a.emit(a.labelIndex())
	case immLabels:
		a.branchTable()
	case immLocal:
		a.emit(a.index(&a.locals))
	case immIndirect:
		table := a.optionalIndex(spaceTable)
		a.emit(a.typeUse(nil))
		a.emit(table)
	case immSelect:
		a.selectType()
	case immHeap:
		a.code = a.heapType(a.code)
	default:
		a.aggregate(op)
	}
}

// aggregate emits the immediates of struct, array and cast instructions.
func (a *assembler) aggregate(op operator) {
	switch op.immediate {
	case immField:
		typ := a.index(&a.spaces[spaceType])
		a.emit(typ)
		fields := space{noun: "field"}
		if int(typ) < len(a.types) {
			fields = a.types[typ].fields
		}
		a.emit(a.index(&fields))
	case immFixed:
		a.emitIndex(spaceType)
		a.emit(a.u32())
	case immTypeData:
		a.usesDataCount = true
		a.emitIndex(spaceType)
		a.emitIndex(spaceData)
	case immTypeElem:
		a.emitIndex(spaceType)
		a.emitIndex(spaceElem)
	case immTwoTypes:
		a.emitIndex(spaceType)
		a.emitIndex(spaceType)
	case immCast:
		n := len(a.code)
		nullable, heap := a.castTarget()
		if nullable {
			a.code[n-1]++
		}
		a.code = append(a.code, heap...)
	case immBranchCast:
		label := a.labelIndex()
		from, fromHeap := a.castTarget()
		to, toHeap := a.castTarget()
		flags := byte(0)
		if from {
			flags |= 1
		}
		if to {
			flags |= 2
		}
		a.code = append(a.code, flags)
		a.emit(label)
		a.code = append(append(a.code, fromHeap...), toHeap...)
	default:
		panic("operator without a reader for its immediates")
	}
}

// castTarget splits a reference type into nullability and heap type.
func (a *assembler) castTarget() (nullable bool, heap []byte) {
	switch typ := a.referenceType(nil); typ[0] {
	case 0x63:
		return true, typ[1:]
	case 0x64:
		return false, typ[1:]
	default:
		return true, typ
	}
}

func (a *assembler) emit(n uint32)    { a.code = appendUnsigned(a.code, uint64(n)) }
func (a *assembler) emitIndex(in int) { a.emit(a.index(&a.spaces[in])) }

func (a *assembler) optionalIndex(in int) uint32 {
	if a.isIndex() {
		return a.index(&a.spaces[in])
	}
	return 0
}

func (a *assembler) twoOptional(in int) {
	if !a.isIndex() {
		a.emit(0)
		a.emit(0)
		return
	}
	a.emitIndex(in)
	a.emitIndex(in)
}

// segmentInit is "x? y": where to, which segment; the binary has them the
// other way round.
func (a *assembler) segmentInit(target, source int) {
	to, mark := uint32(0), a.at
	if a.at++; a.isIndex() {
		a.at = mark
		to = a.index(&a.spaces[target])
	} else {
		a.at = mark
	}
	a.emitIndex(source)
	a.emit(to)
}

func (a *assembler) branchTable() {
	n := len(a.code)
	labels := []uint32{a.labelIndex()}
	for a.isIndex() {
		labels = append(labels, a.labelIndex())
	}
	a.code = appendUnsigned(a.code[:n], uint64(len(labels)-1))
	for _, l := range labels {
		a.emit(l)
	}
}

// memoryBeforeLane says whether the index that comes next is a memory's: a
// lane or a memory argument still follows.
func (a *assembler) memoryBeforeLane() bool {
	mark := a.at
	a.at++
	more := a.isNumber() || a.kind() == Atom && (strings.HasPrefix(a.word(), "offset=") || strings.HasPrefix(a.word(), "align="))
	a.at = mark
	return more
}

// access is "x? offset=n? align=n?".
func (a *assembler) access(op operator, hasMemory bool) {
	memory, offset, align := uint32(0), uint64(0), uint64(op.align)
	if hasMemory {
		memory = a.index(&a.spaces[spaceMemory])
	}
	if value, ok := a.setting("offset="); ok {
		offset = value
	}
	at := a.token().Start
	if value, ok := a.setting("align="); ok {
		if bits.OnesCount64(value) != 1 {
			fail(at, "alignment %d is no power of two", value)
		}
		align = uint64(bits.TrailingZeros64(value))
	}
	if memory != 0 {
		a.code = appendUnsigned(a.code, align|0x40)
		a.emit(memory)
	} else {
		a.code = appendUnsigned(a.code, align)
	}
	a.code = appendUnsigned(a.code, offset)
}

func (a *assembler) setting(prefix string) (uint64, bool) {
	if a.kind() != Atom || !strings.HasPrefix(a.word(), prefix) {
		return 0, false
	}
	t := a.token()
	value, err := parseUnsigned(a.text[t.Start+len(prefix):t.Stop], 64)
	if err != nil {
		fail(t.Start, "unknown operator or constant out of range: %s", a.word())
	}
	a.at++
	return value, true
}

func (a *assembler) lanes(count int) {
	for range count {
		a.code = append(a.code, byte(a.number(parseUnsigned, 8, "lane index")))
	}
}

// selectType is "(result t*)*": with it select has its typed form.
func (a *assembler) selectType() {
	if !a.form("result") {
		return
	}
	count, types := uint64(0), []byte(nil)
	for a.enter("result") {
		for ; a.kind() != Close; count++ {
			types = a.valueType(types)
		}
		a.close()
	}
	a.code[len(a.code)-1] = 0x1c
	a.code = append(appendUnsigned(a.code, count), types...)
}

func (a *assembler) constant(kind immediate) {
	switch kind {
	case immI32:
		a.code = appendSigned(a.code, int64(int32(a.number(parseInteger, 32, "i32"))))
	case immI64:
		a.code = appendSigned(a.code, int64(a.number(parseInteger, 64, "i64")))
	case immF32:
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(a.number(parseFloat, 32, "f32")))
	case immF64:
		a.code = binary.LittleEndian.AppendUint64(a.code, a.number(parseFloat, 64, "f64"))
	case immV128:
		a.vector()
	}
}

// shape gives the lane type of a vector shape, the count of lanes and their
// width in bits; the count is 0 for other words.
func shape(word string) (lane string, count, width int) {
	switch word {
	case "i8x16":
		return "i8", 16, 8
	case "i16x8":
		return "i16", 8, 16
	case "i32x4":
		return "i32", 4, 32
	case "i64x2":
		return "i64", 2, 64
	case "f32x4":
		return "f32", 4, 32
	case "f64x2":
		return "f64", 2, 64
	}
	return "", 0, 0
}

func (a *assembler) vector() {
	lane, count, width := shape(a.word())
	if count == 0 {
		a.unexpected("a vector shape like i32x4")
	}
	a.at++
	read := parseInteger
	if lane[0] == 'f' {
		read = parseFloat
	}
	for range count {
		n := a.number(read, width, lane)
		for range width / 8 {
			a.code = append(a.code, byte(n))
			n >>= 8
		}
	}
}
