package rewrite

import "math"

// elementSection checks and re-encodes the element segments in one step: they hold function indices and offsets.
func (s *source) elementSection(r *reader) {
	n := r.count(maxElemSegments, "element segments")
	out := appendU32(make([]byte, 0, len(r.data)-r.pos+16), uint32(n))
	for range n {
		out = s.elementSegment(r, out)
		if r.err != nil {
			return
		}
	}
	s.elemOut = out
}

func (s *source) elementSegment(r *reader, out []byte) []byte {
	at := r.pos
	flags := r.u32()
	if r.err == nil && flags > 7 {
		r.failAt(at, "invalid flag byte in element segment")
	}
	active, expressions := flags&1 == 0, flags&4 != 0
	out = appendU32(out, flags)
	elem := typeFunc
	room := uint64(math.MaxUint64) // elements between the offset and the table's end, if both are known
	if active {
		var t uint32
		if flags&2 != 0 {
			t = r.u32()
			out = appendU32(out, t)
		}
		if r.err == nil && int64(t) >= int64(len(s.tables)) {
			r.failAt(at, "unknown table "+decimal(uint64(t))+": table index out of bounds")
		}
		if r.err != nil {
			return out
		}
		out, room = s.elementOffset(r, out, s.tables[t])
		defer func() {
			if r.err == nil && elem != s.tables[t].elem {
				r.failAt(at, "type mismatch: segment of "+elem.String()+" for a table of "+s.tables[t].elem.String())
			}
		}()
	}
	if flags&3 != 0 {
		kind := r.byte()
		out = append(out, kind)
		elem = s.elementKind(r, kind, expressions)
	}
	items := r.count(maxEngineElements, "elements")
	s.elems = append(s.elems, elementSegment{elem, uint64(items)})
	out = appendU32(out, uint32(items))
	s.elemBeyond = s.elemBeyond || uint64(items) > room
	for range items {
		if expressions {
			_, out = s.constantExpression(r, elem, out)
		} else if i := s.functionIndex(r); r.err == nil {
			s.declare(i)
			out = appendU32(out, s.shifted(i))
		}
		if r.err != nil {
			break
		}
	}
	return out
}

func (s *source) elementOffset(r *reader, out []byte, t table) (lowered []byte, room uint64) {
	at := r.pos
	c, _ := s.constantExpression(r, t.limits.index(), nil)
	if r.err != nil {
		return out, 0
	}
	if t.limits.wide && c.opcode == opGlobalGet {
		r.failAt(at, "offset of an element segment of a 64-bit table taken from a global is not supported here")
		return out, 0
	}
	if c.opcode == opGlobalGet {
		return append(out, r.data[at:r.pos]...), math.MaxUint64
	}
	if c.bits > t.limits.min {
		s.elemBeyond = true
		return s.lowerOffset(out, c), 0
	}
	return s.lowerOffset(out, c), t.limits.min - c.bits
}

func (s *source) elementKind(r *reader, kind byte, expressions bool) valueType {
	if r.err != nil {
		return typeFunc
	}
	if !expressions {
		if kind != 0 {
			r.failAt(r.pos-1, "only the function external type is supported in elem segment")
		}
		return typeFunc
	}
	elem, ok := decodeType(kind)
	if !ok || !elem.reference() {
		r.failAt(r.pos-1, "malformed reference type")
	}
	return elem
}
