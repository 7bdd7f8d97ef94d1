package rewrite

// constant is the value of a constant expression, as far as the pass needs it.
type constant struct {
	opcode byte   // of the producing operator
	bits   uint64 // value of i32.const (zero-extended) and i64.const
	index  uint32 // of global.get
}

// constantExpression reads, checks and re-encodes a constant expression of one operator, including its end.
func (s *source) constantExpression(r *reader, want valueType, out []byte) (constant, []byte) {
	at := r.pos
	c := constant{opcode: r.byte()}
	got := typeUnknown
	switch {
	case r.err != nil:
	case c.opcode == opI32Const:
		got = typeI32
		v := r.signed(32)
		c.bits = uint64(uint32(v))
	case c.opcode == opI64Const:
		got = typeI64
		c.bits = uint64(r.signed(64))
	case c.opcode == opF32Const:
		got = typeF32
		r.skip(4)
	case c.opcode == opF64Const:
		got = typeF64
		r.skip(8)
	case c.opcode == opVector:
		if sub := r.u32(); r.err == nil && sub != 0x0c {
			r.failAt(at, "constant expression required: non-constant operator")
		}
		got = typeV128
		r.skip(16)
	case c.opcode == opGlobalGet:
		got = s.constantGlobal(r, &c)
	case c.opcode == opRefNull:
		got = s.valueType(r)
		if r.err == nil && !got.reference() {
			r.failAt(at, "invalid heap type")
		}
	case c.opcode == opRefFunc:
		got = typeFunc
		c.index = s.functionIndex(r)
		if r.err == nil {
			s.declare(c.index)
		}
	case c.opcode == opEnd:
		r.failAt(at, "type mismatch: expected "+want.String()+" but nothing on stack")
	default:
		r.failAt(at, "constant expression required: non-constant operator")
	}
	if r.err == nil && got != want {
		r.failAt(at, "type mismatch: expected "+want.String()+", found "+got.String())
	}
	body := r.pos
	if end := r.byte(); r.err == nil && end != opEnd {
		r.failAt(body, "constant expression required: non-constant operator")
	}
	if r.err != nil {
		return c, out
	}
	if c.opcode == opRefFunc {
		out = append(out, opRefFunc)
		out = appendU32(out, s.shifted(c.index))
		return c, append(out, opEnd)
	}
	return c, append(out, r.data[at:r.pos]...)
}

// constantGlobal returns the type of global.get: only imported, immutable globals are constant.
func (s *source) constantGlobal(r *reader, c *constant) valueType {
	at := r.pos
	c.index = r.u32()
	switch {
	case r.err != nil:
	case int64(c.index) >= int64(len(s.globals)):
		r.failAt(at, "unknown global "+decimal(uint64(c.index))+": global index out of bounds")
	case s.globals[c.index].mutable:
		r.failAt(at, "constant expression required: global.get of mutable global")
	case int64(c.index) >= int64(s.importedGlobals):
		r.failAt(at, "constant expression required: global.get of locally defined global")
	default:
		return s.globals[c.index].value
	}
	return typeUnknown
}

// lowerOffset appends a constant offset of an active segment as an i32.
func (s *source) lowerOffset(out []byte, c constant) []byte {
	v := int64(-1) // beyond every lowered memory and table
	if c.bits <= 0xffffffff {
		v = int64(int32(uint32(c.bits)))
	}
	return append(appendSigned(append(out, opI32Const), v), opEnd)
}

// How many function imports the pass appends to the original ones: for metering, and for the probes of a profile.
const (
	meteringFunctions = 4
	probeFunctions    = 3
)

// injected returns how many function imports the pass appends to the original ones.
func (s *source) injected() uint32 { return injectedFunctions(s.options.Probes) }

func injectedFunctions(probes bool) uint32 {
	if probes {
		return meteringFunctions + probeFunctions
	}
	return meteringFunctions
}

// replicaFunctions is how many functions a replica's pass puts before those of a module, as its backtraces count them.
const replicaFunctions = 2

// ReplicaIndex returns the index that a replica's backtrace has for a function of the rewritten module.
func (m *Module) ReplicaIndex(rewritten int) int {
	return rewritten - int(injectedFunctions(m.Probes)) + replicaFunctions
}

// ReplicaIndexOf returns that index for a function of the original module, imports included.
func ReplicaIndexOf(original uint32) uint32 { return original + replicaFunctions }

// shifted returns the index of a function in the rewritten module.
func (s *source) shifted(i uint32) uint32 {
	if int64(i) < int64(s.importedFunctions) {
		return i
	}
	return i + s.injected()
}
