package rewrite

import "slices"

// operand is one entry of the validator's operand stack, with what lowering knows about its value. Structs of up to
// four fields are passed in registers: with more, pushing and taking cost twice as much.
type operand struct {
	operandKind
	local   int32  // the local it was read from, or -1
	version uint32 // of that local when it was read
	from    uint32 // calls before it was created, as engineFrame counts them
}

type operandKind struct {
	typ   valueType
	small bool // an i64 known to be below 2^32
	short bool // a constant that as a size keeps a bulk operator within a piece
}

// frame is an open control construct of the original code.
type frame struct {
	params, results string
	height          int   // of the operand stack below it
	label           int   // place of its branch target among the labels of the output
	closes          uint8 // how many output labels its end closes
	op              byte  // opBlock (also the function itself), opLoop, opIf, opElse
	begin           int   // of its operator in the output
	unreachable     bool
	dead            bool        // entered from unreachable code: it is not emitted
	join            mirrorState // at its end, as required by the edges so far
	mirror          mirrorState // at its beginning
	costSlot        int         // of the check point at its head, for loops that leave before they call the host
	construct       int32       // its place in the estimate
	depth           int         // its place among the frames
	outermost       int         // place of the outermost construct that branches inside go to, at most its own
	coverMark       int         // of the block before it
}

// body is the state of the walk over one function body: decode, check, meter and emit. It is reused for all functions.
type body struct {
	s      *source
	wide   bool // the memory is 64-bit
	r      reader
	code   *codeWriter
	out    []byte // operators of the function being written
	stack  []operand
	frames []frame
	top    *frame // innermost one
	locals []localState
	self   uint32 // the function's index in the rewritten module
	place  int    // among the local functions
	given  int    // locals of the original, parameters included
	typ    funcType
	live   bool // the current operator can be reached: it is emitted
	labels int  // open labels of the output

	groups             uint32 // of local declarations
	declStart, declEnd int    // their position

	at          int  // offset of the current operator
	opcode      byte // its first byte
	ops         int  // operators read, including the current one
	bad         string
	extra       []valueType // locals added
	meter       meter
	calls       callStack
	engineFrame engineFrame
	lower       lowering

	compile compileEstimate // of the time to compile the function
	marks   []mark          // ascending by place, for Options.offsets
	marking bool            // marks are kept: asked once a body, not once an operator

	complexity uint64
	nans       int // values made canonical so far
}

type localState struct {
	typ     valueType
	small   bool   // valid while generation matches
	version uint32 // counts assignments
	shadow  uint32 // index of its lowered form
	gen     uint32 // lowering generation in which shadow is valid
	genS    uint32 // lowering generation in which small is valid
}

// run walks one body; r covers exactly its bytes.
func (b *body) run(r reader, typ funcType) *Invalid {
	b.reset(r, typ)
	b.localDeclarations()
	b.labels, b.live = 1+b.probeLabels(), true
	b.enter(frame{results: typ.results, op: opBlock, label: b.labels})
	b.compile.reset(len(b.locals))
	b.meterFunction()
	for b.r.err == nil && len(b.frames) > 0 {
		if b.r.done() {
			b.r.fail("unexpected end-of-file")
			break
		}
		b.at = b.r.pos
		b.opcode = b.r.data[b.at]
		b.r.pos++
		b.ops++
		b.markOperator()
		b.step(b.opcode)
	}
	if b.r.err == nil && !b.r.done() {
		b.r.fail("operators remaining after end of function")
	}
	return b.r.err
}

func (b *body) reset(r reader, typ funcType) {
	b.r, b.typ = r, typ
	b.out, b.stack, b.frames = b.out[:0], b.stack[:0], b.frames[:0]
	b.locals, b.extra = b.locals[:0], b.extra[:0]
	b.ops, b.complexity, b.nans, b.bad, b.marks = 0, 0, 0, "", b.marks[:0]
	b.marking = b.s.options.offsets != nil
	b.lower.reset()
	b.calls.reset()
	for i := range len(typ.params) {
		b.locals = append(b.locals, localState{typ: valueType(typ.params[i])})
	}
	b.engineFrame.reset(len(b.locals))
}

// enter makes a construct the innermost one.
func (b *body) enter(f frame) {
	f.depth, f.outermost = len(b.frames), len(b.frames)
	b.frames = append(b.frames, f)
	b.top = &b.frames[len(b.frames)-1]
}

func (b *body) localDeclarations() {
	b.groups = b.r.u32()
	b.declStart = b.r.pos
	for range b.groups {
		at := b.r.pos
		n := b.r.u32()
		t := b.s.valueType(&b.r)
		if b.r.err == nil && uint64(n)+uint64(len(b.locals)) > maxLocals {
			b.r.failAt(at, "too many locals: locals exceed maximum")
		}
		if b.r.err != nil {
			return
		}
		before := len(b.locals)
		b.locals = slices.Grow(b.locals, int(n))[:before+int(n)]
		for i := range b.locals[before:] {
			b.locals[before+i] = localState{typ: t}
		}
	}
	b.given, b.declEnd = len(b.locals), b.r.pos
	b.engineFrame.declare(b.given)
	if b.code.declared += b.given; b.code.declared > maxModuleLocals {
		b.r.fail("too many locals: the module's functions declare more than " + decimal(maxModuleLocals))
	}
}

// newLocal adds a local of the rewritten function.
func (b *body) newLocal(t valueType) uint32 {
	b.extra = append(b.extra, t)
	return uint32(b.given + len(b.extra) - 1)
}

func (b *body) fail(text string) { b.r.failAt(b.at, text) }

// copy emits the current operator unchanged.
func (b *body) copy() {
	if !b.live || b.r.err != nil {
		return
	}
	switch raw := b.r.data[b.at:b.r.pos]; len(raw) { // most are short, and a call to copy them costs more than they do
	case 1:
		b.out = append(b.out, raw[0])
	case 2:
		b.out = append(b.out, raw[0], raw[1])
	default:
		b.out = append(b.out, raw...)
	}
}

func (b *body) op(op byte) { b.out = append(b.out, op) }

func (b *body) opIndex(op byte, index uint32) {
	if index < 0x80 {
		b.out = append(b.out, op, byte(index))
		return
	}
	b.out = appendU32(append(b.out, op), index)
}

func (b *body) push(t valueType) {
	b.stack = append(b.stack, operand{operandKind: operandKind{typ: t}, local: -1, from: b.engineFrame.calls})
}

func (b *body) pushAll(types string) {
	for i := range len(types) {
		b.push(valueType(types[i]))
	}
}

// pop takes an operand of any type.
func (b *body) pop() operand {
	if len(b.stack) == b.top.height {
		if !b.top.unreachable {
			b.fail("type mismatch: expected a type but nothing on stack")
		}
		return operand{operandKind: operandKind{typ: typeUnknown}, local: -1}
	}
	v := b.stack[len(b.stack)-1]
	b.stack = b.stack[:len(b.stack)-1]
	b.consume(v)
	return v
}

// take takes an operand of the given type.
func (b *body) take(want valueType) operand {
	if last := len(b.stack) - 1; last >= b.top.height {
		v := b.stack[last]
		if v.typ == want || v.typ == typeUnknown {
			b.stack = b.stack[:last]
			b.consume(v)
			return v
		}
	}
	return b.takeMissing(want)
}

// discard is take without a result, which is faster.
func (b *body) discard(want valueType) {
	if last := len(b.stack) - 1; last >= b.top.height {
		if v := &b.stack[last]; v.typ == want && v.from == b.engineFrame.calls {
			b.stack = b.stack[:last]
			return
		}
	}
	b.take(want)
}

// takeMissing handles a take for which no operand of the type is on top. Unreachable code has operands of any type.
func (b *body) takeMissing(want valueType) operand {
	if len(b.stack) > b.top.height {
		b.fail("type mismatch: expected " + want.String() + ", found " + b.stack[len(b.stack)-1].typ.String())
	} else if !b.top.unreachable {
		b.fail("type mismatch: expected " + want.String() + " but nothing on stack")
	}
	return operand{operandKind: operandKind{typ: want}, local: -1}
}

func (b *body) takeAll(types string) {
	for i := len(types) - 1; i >= 0; i-- {
		b.discard(valueType(types[i]))
	}
}

// simple handles an operator with a fixed type that is emitted unchanged.
func (b *body) simple(cost, weight uint16, in, out string) {
	b.begin(uint64(cost), uint64(weight))
	b.takeAll(in)
	if out != "" {
		b.push(valueType(out[0]))
	}
	b.copy()
}

// stop marks the rest of the innermost construct as unreachable.
func (b *body) stop() {
	b.stack = b.stack[:b.top.height]
	b.top.unreachable = true
	b.live = false
}

func (b *body) memory() (limits, bool) {
	if len(b.s.memories) == 0 {
		b.fail("unknown memory 0")
		return limits{}, false
	}
	return b.s.memories[0], true
}

// zeroMemory reads the memory index of an operator, which can only be 0.
func (b *body) zeroMemory() limits {
	i := b.r.byte()
	m, ok := b.memory()
	if ok && b.r.err == nil && i != 0 {
		b.fail("multi-memory not enabled: zero byte expected")
	}
	return m
}

func (b *body) tableAt() (uint32, table) {
	i := b.r.u32()
	if b.r.err == nil && int64(i) >= int64(len(b.s.tables)) {
		b.fail("unknown table " + decimal(uint64(i)) + ": table index out of bounds")
	}
	if b.r.err != nil {
		return 0, table{}
	}
	return i, b.s.tables[i]
}
