package rewrite

import "encoding/binary"

// ExposedGlobal is a global that a replica keeps with the state of a canister. Type is its value type in the binary
// format. Low and High are the value of one that is not mutable; High is 0 except for v128.
type ExposedGlobal struct {
	Index     uint32
	Type      byte
	Mutable   bool
	Low, High uint64
}

// exposed returns the globals that a replica exports: those that the module exports, in the order of its exports,
// followed by the other mutable ones.
func (s *source) exposed() []ExposedGlobal {
	var all []ExposedGlobal
	exported := make([]bool, len(s.globals))
	for _, e := range s.exports {
		if e.kind == kindGlobal {
			exported[e.index] = true
			all = s.expose(all, e.index)
		}
	}
	for i, g := range s.globals {
		if g.mutable && !exported[i] {
			all = s.expose(all, uint32(i))
		}
	}
	return all
}

// expose appends a global, unless it is a reference: references are not state.
func (s *source) expose(all []ExposedGlobal, index uint32) []ExposedGlobal {
	g := &s.globals[index]
	if g.value.reference() {
		return all
	}
	x := ExposedGlobal{Index: index, Type: g.value.encoded(), Mutable: g.mutable}
	if !g.mutable {
		x.Low, x.High = constantBits(g.init)
	}
	return append(all, x)
}

// constantBits returns the value of a constant expression that constantExpression has read.
func constantBits(init []byte) (low, high uint64) {
	if len(init) == 0 {
		return 0, 0
	}
	r := &reader{data: init, pos: 1}
	switch init[0] {
	case opI32Const:
		low = uint64(uint32(r.signed(32)))
	case opI64Const:
		low = uint64(r.signed(64))
	case opF32Const:
		low = uint64(binary.LittleEndian.Uint32(r.bytes(4)))
	case opF64Const:
		low = binary.LittleEndian.Uint64(r.bytes(8))
	case opVector:
		r.u32()
		low, high = binary.LittleEndian.Uint64(r.bytes(8)), binary.LittleEndian.Uint64(r.bytes(8))
	}
	return low, high
}
