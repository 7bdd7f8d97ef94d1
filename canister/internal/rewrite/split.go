package rewrite

// A bulk operator of gigabytes runs for seconds in the engine, where no garbage collection can interrupt it. So an
// operator that is longer than a piece is split: a function added to the module does all pieces except the last, and
// the operator itself does that one.
//
//	to, from, n
//	if n > piece (unsigned): call splitter, which returns the operands of the last piece
//	the operator
//
// The splitter checks the bounds of the whole operation first. If they do not hold, it returns its operands unchanged,
// so that the operator itself traps before a byte is written. It calls the host after each piece. The whole operation
// is charged in advance.

// splitter is the function that does all pieces except the last of one bulk operator: its parameters and its results
// are the operator's operands.
type splitter struct {
	code    uint32 // of the operator, after opMisc
	indices [2]uint32
	value   valueType // of the operator's second operand
	piece   uint32    // bytes, or elements
	from    uint64    // size of the data or element segment, for the init operators
}

// elementBytes is the size of a table element in the engine.
const elementBytes = 8

// isShort reports whether an integer constant, as the size of a bulk operator, is at most the size of one piece.
func isShort(v int64) bool { return v >= 0 && v <= PieceBytes/elementBytes }

// splitMemory, splitSegment, splitTable and splitElements split the next emitted operator, whose three lowered operands
// are on top of the stack; n is its size. An operation on a segment of at most one piece is either short or out of
// bounds.
func (b *body) splitMemory(code uint32, n operand) {
	b.split(splitter{code: code, value: typeI32, piece: PieceBytes}, n)
}

func (b *body) splitSegment(segment uint32, n operand) {
	if d := &b.s.data[segment]; !d.active && len(d.bytes) > PieceBytes {
		b.split(splitter{code: miscMemoryInit, indices: [2]uint32{segment}, value: typeI32, piece: PieceBytes, from: uint64(len(d.bytes))}, n)
	}
}

func (b *body) splitTable(code, first, second uint32, value valueType, n operand) {
	b.split(splitter{code: code, indices: [2]uint32{first, second}, value: value, piece: PieceBytes / elementBytes}, n)
}

func (b *body) splitElements(segment, table uint32, n operand) {
	if items := b.s.elems[segment].items; items > PieceBytes/elementBytes {
		b.split(splitter{
			code: miscTableInit, indices: [2]uint32{segment, table}, value: typeI32, piece: PieceBytes / elementBytes, from: items,
		}, n)
	}
}

func (b *body) split(s splitter, n operand) {
	if b.meter.off || n.short {
		return
	}
	b.compile.operands += splitOperands
	b.estimateCheck(3)
	function, typ := b.code.splitter(s)
	size := b.scratch(typeI32)
	b.opIndex(opLocalTee, size)
	b.opIndex(opLocalGet, size)
	b.out = appendSigned(append(b.out, opI32Const), int64(s.piece))
	b.out = appendSigned(append(b.out, opI32GtU, opIf), int64(typ))
	b.opIndex(opCall, function)
	b.op(opEnd)
}

// splitter returns the function index and the type index of a splitter.
func (c *codeWriter) splitter(s splitter) (function, typ uint32) {
	i, ok := c.splitters[s]
	if !ok {
		i = c.add(&s)
		c.splitters[s] = i
	}
	return c.firstAdded + i, uint32(len(c.s.types)+addedTypes) + i
}

func (s *splitter) signature() funcType {
	operands := "i" + string(s.value) + "i"
	return funcType{params: operands, results: operands}
}

// name begins with ownPrefix, so that no backtrace shows it.
func (s *splitter) name() string { return ownPrefix + "bulk operation" }

// The parameters of a splitter.
const (
	splitTo = iota
	splitFrom
	splitSize
)

func (s *splitter) body(c *codeWriter) []byte {
	w := &splitWriter{splitter: s, check: c.bulkCheck, out: []byte{0}} // no locals
	w.leaveUnless(splitTo, s.measureTarget)
	switch s.code {
	case miscMemoryCopy, miscTableCopy:
		w.leaveUnless(splitFrom, s.measureSource)
		w.get(splitTo)
		w.get(splitFrom)
		w.out = append(w.out, opI32GtU, opIf, blockEmpty)
		w.backward()
		w.leave()
		w.out = append(w.out, opEnd)
	case miscMemoryInit, miscTableInit:
		w.leaveUnless(splitFrom, func(out []byte) []byte { return appendSigned(append(out, opI64Const), int64(s.from)) })
	}
	w.forward()
	w.operands()
	return append(w.out, opEnd)
}

// measureTarget and measureSource append the size, as an i64, of the destination and of the source.
func (s *splitter) measureTarget(out []byte) []byte {
	switch s.code {
	case miscTableInit:
		return measureTable(out, s.indices[1])
	case miscTableCopy, miscTableFill:
		return measureTable(out, s.indices[0])
	}
	return append(out, opMemorySize, 0, opI64ExtendI32U, opI64Const, 16, opI64Shl)
}

func (s *splitter) measureSource(out []byte) []byte {
	if s.code == miscTableCopy {
		return measureTable(out, s.indices[1])
	}
	return s.measureTarget(out)
}

func measureTable(out []byte, table uint32) []byte {
	out = appendU32(append(out, opMisc), miscTableSize)
	return append(appendU32(out, table), opI64ExtendI32U)
}

// splitWriter writes the body of a splitter.
type splitWriter struct {
	*splitter
	check uint32 // function index of the host's check
	out   []byte
}

func (w *splitWriter) get(local uint32) { w.out = appendU32(append(w.out, opLocalGet), local) }

func (w *splitWriter) set(local uint32) { w.out = appendU32(append(w.out, opLocalSet), local) }

func (w *splitWriter) pieceSize() { w.out = appendSigned(append(w.out, opI32Const), int64(w.piece)) }

func (w *splitWriter) operands() {
	for local := range uint32(splitSize + 1) {
		w.get(local)
	}
}

func (w *splitWriter) leave() {
	w.operands()
	w.out = append(w.out, opReturn)
}

// leaveUnless returns the operands unchanged unless [start, start+size) lies within the measured size.
func (w *splitWriter) leaveUnless(start uint32, measure func(out []byte) []byte) {
	w.get(start)
	w.out = append(w.out, opI64ExtendI32U)
	w.get(splitSize)
	w.out = append(w.out, opI64ExtendI32U, opI64Add)
	w.out = append(measure(w.out), opI64GtU, opIf, blockEmpty)
	w.leave()
	w.out = append(w.out, opEnd)
}

// forward does one piece after the other while more than one remains.
func (w *splitWriter) forward() {
	w.out = append(w.out, opLoop, blockEmpty)
	w.get(splitTo)
	w.get(splitFrom)
	w.pieceSize()
	w.operator()
	w.move(splitTo, opI32Add)
	if w.code != miscMemoryFill && w.code != miscTableFill {
		w.move(splitFrom, opI32Add)
	}
	w.move(splitSize, opI32Sub)
	w.again()
}

// backward begins with the last piece: bytes copied to a higher place must not be overwritten before they are read.
func (w *splitWriter) backward() {
	w.out = append(w.out, opLoop, blockEmpty)
	w.move(splitSize, opI32Sub)
	for _, start := range [...]uint32{splitTo, splitFrom} {
		w.get(start)
		w.get(splitSize)
		w.out = append(w.out, opI32Add)
	}
	w.pieceSize()
	w.operator()
	w.again()
}

// move adds the size of a piece to a parameter, or subtracts it.
func (w *splitWriter) move(local uint32, op byte) {
	w.get(local)
	w.pieceSize()
	w.out = append(w.out, op)
	w.set(local)
}

func (w *splitWriter) operator() {
	w.out = appendU32(append(w.out, opMisc), w.code)
	w.out = appendU32(w.out, w.indices[0])
	if w.code != miscMemoryFill && w.code != miscTableFill {
		w.out = appendU32(w.out, w.indices[1])
	}
}

// again calls the host and closes the loop.
func (w *splitWriter) again() {
	w.pieceSize()
	w.out = appendU32(append(w.out, opCall), w.check)
	w.get(splitSize)
	w.pieceSize()
	w.out = append(w.out, opI32GtU, opBrIf, 0, opEnd)
}
