package rewrite

import "encoding/binary"

// Every NaN that arithmetic makes is the canonical one, as on a replica: processors differ in the bits of NaNs, and
// those bits reach memory, replies and state hashes. Operators that only move or re-sign a value keep its bits.

const (
	canonicalF32 = 0x7fc00000
	canonicalF64 = 0x7ff8000000000000
)

// makesNaN reports the scalar operators whose NaN has unspecified bits: ceil to max of either width.
func makesNaN(op byte) bool { return op >= 0x8d && op <= 0x97 || op >= 0x9b && op <= 0xa5 }

// ignoresNaNBits reports the operators that take a float from the top of the stack and treat every NaN alike.
func ignoresNaNBits(op byte) bool {
	return makesNaN(op) || op >= 0x5b && op <= 0x66 || op >= 0xa8 && op <= 0xab || op >= 0xae && op <= 0xb1
}

// vectorNaN returns the lane type of the vector operators that make NaNs, or 0.
func vectorNaN(code uint32) valueType {
	switch {
	case code >= 0x67 && code <= 0x6a || code >= 0xe3 && code <= 0xe9:
		return typeF32
	case code == 0x74 || code == 0x75 || code == 0x7a || code == 0x94 || code >= 0xef && code <= 0xf5:
		return typeF64
	}
	return 0
}

// canonicalize replaces a NaN on top of the stack by the canonical one, unless the next operator does not see the
// difference. A branch is the fastest way, but the time to compile grows with the square of the branches: after some
// number of them, a function gets selects.
func (b *body) canonicalize(t valueType) {
	if !b.live || b.r.err != nil || b.r.pos < len(b.r.data) && ignoresNaNBits(b.r.data[b.r.pos]) {
		return
	}
	v := b.scratch(t)
	b.opIndex(opLocalTee, v)
	b.compile.operands += nanOperands
	if b.nans++; b.nans > maxNaNBranches {
		b.selectCanonical(t, v)
		return
	}
	b.estimateCheck(1)
	b.opIndex(opLocalGet, v)
	differs := byte(opF64Ne)
	if t == typeF32 {
		differs = opF32Ne
	}
	b.out = append(b.out, differs, opIf, blockEmpty)
	b.canonicalNaN(t)
	b.opIndex(opLocalSet, v)
	b.op(opEnd)
	b.opIndex(opLocalGet, v)
}

// selectCanonical replaces a NaN that is on top of the stack and in a local, without a branch.
func (b *body) selectCanonical(t valueType, v uint32) {
	equal := byte(opF64Eq)
	if t == typeF32 {
		equal = opF32Eq
	}
	b.canonicalNaN(t)
	b.opIndex(opLocalGet, v)
	b.opIndex(opLocalGet, v)
	b.out = append(b.out, equal, opSelect)
}

func (b *body) canonicalNaN(t valueType) {
	if t == typeF32 {
		b.out = binary.LittleEndian.AppendUint32(append(b.out, opF32Const), canonicalF32)
	} else {
		b.out = binary.LittleEndian.AppendUint64(append(b.out, opF64Const), canonicalF64)
	}
}

// canonicalizeLanes does the same for every lane of a vector.
func (b *body) canonicalizeLanes(lane valueType) {
	if !b.live || b.r.err != nil {
		return
	}
	v := b.scratch(typeV128)
	b.opIndex(opLocalTee, v)
	b.out = appendU32(append(b.out, opVector), vectorConst)
	for range 2 {
		if lane == typeF32 {
			b.out = binary.LittleEndian.AppendUint32(b.out, canonicalF32)
			b.out = binary.LittleEndian.AppendUint32(b.out, canonicalF32)
		} else {
			b.out = binary.LittleEndian.AppendUint64(b.out, canonicalF64)
		}
	}
	b.opIndex(opLocalGet, v)
	b.opIndex(opLocalGet, v)
	equal := uint32(vectorF64Eq)
	if lane == typeF32 {
		equal = vectorF32Eq
	}
	b.out = appendU32(append(b.out, opVector), equal)
	b.out = appendU32(append(b.out, opVector), vectorBitselect)
}
