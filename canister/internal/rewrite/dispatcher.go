package rewrite

// dispatcherWidth is how many functions one dispatcher serves; it bounds the size of a dispatcher.
const dispatcherWidth = 64

// dispatcher is the function that a function's entry check leaves for when the counter is below zero: it calls the host, gives the
// charge back and calls the function again. Every operand travels as an argument and nothing is needed after the call, so that the way into
// the body keeps all its values in registers. It has the type of the functions it serves, followed by which of them to call (i32) and the
// charge of its entry (i64).
type dispatcher struct {
	typ   funcType
	calls []uint32 // function indices in the rewritten module
}

// openDispatcher is a dispatcher with its place among the added functions.
type openDispatcher struct {
	*dispatcher
	at uint32
}

// dispatch returns the dispatcher's function index and the function's place in it.
func (c *codeWriter) dispatch(typ funcType, function uint32) (dispatcherIndex, place uint32) {
	d, ok := c.open[typ]
	if !ok || len(d.calls) == dispatcherWidth {
		d.dispatcher = &dispatcher{typ: typ}
		d.at = c.add(d.dispatcher)
		c.open[typ] = d
	}
	d.calls = append(d.calls, function)
	return c.firstAdded + d.at, uint32(len(d.calls) - 1)
}

// signature is the dispatcher's own type.
func (d *dispatcher) signature() funcType {
	return funcType{params: d.typ.params + "iI", results: d.typ.results}
}

func (d *dispatcher) name() string { return "" }

func (d *dispatcher) body(c *codeWriter) []byte {
	out := []byte{0}
	get := func(op byte, i uint32) { out = appendU32(append(out, op), i) }
	place := uint32(len(d.typ.params))
	for _, op := range [...]byte{opI64Sub, opI64Add} {
		get(opGlobalGet, c.counter)
		get(opLocalGet, place+1)
		out = append(out, op)
		get(opGlobalSet, c.counter)
		if op == opI64Sub {
			get(opCall, c.outOfInstructions)
		}
	}
	last := len(d.calls) - 1
	for range d.calls {
		out = append(out, opBlock, blockEmpty)
	}
	get(opLocalGet, place)
	get(opBrTable, uint32(last))
	for i := range d.calls {
		out = appendU32(out, uint32(i))
	}
	for i, function := range d.calls {
		out = append(out, opEnd)
		for p := range place {
			get(opLocalGet, p)
		}
		get(opCall, function)
		if i < last {
			out = append(out, opReturn)
		}
	}
	return append(out, opEnd)
}
