package rewrite

// dispatcherWidth is how many functions one dispatcher serves; it limits the size of a dispatcher.
const dispatcherWidth = 64

// dispatcher is the function to which a function's entry check goes if the counter is exhausted: it calls the host,
// gives charge and frame back and calls the function again. Every operand is an argument and nothing is needed after
// the call, so that the path into the body keeps all values in registers. It has the type of the functions it serves,
// followed by which of them to call (i32) and what the entry subtracts (i64). If the call stack is full, it sets that
// bit in the counter, without the charge: a replica's engine checks the stack first.
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

// signature returns the dispatcher's own type.
func (d *dispatcher) signature() funcType {
	return funcType{params: d.typ.params + "iI", results: d.typ.results}
}

func (d *dispatcher) name() string { return ownPrefix + "dispatcher" }

func (d *dispatcher) body(c *codeWriter) []byte {
	out := []byte{1, 1, typeI64.encoded()} // the counter after the charge
	get := func(op byte, i uint32) { out = appendU32(append(out, op), i) }
	place := uint32(len(d.typ.params))
	get(opGlobalGet, c.counter)
	get(opGlobalGet, c.counter)
	get(opLocalGet, place+1)
	out = append(out, opI64Sub)
	get(opLocalTee, place+2)
	out = append(out, opI64Const)
	out = append(appendSigned(out, stackFull), opI64And, opI64Or)
	get(opLocalGet, place+2)
	get(opLocalGet, place+2)
	out = append(out, opI64Const)
	out = append(appendSigned(out, stackFull), opI64And, opI32WrapI64, opSelect)
	get(opGlobalSet, c.counter)
	get(opCall, c.outOfInstructions)
	get(opGlobalGet, c.counter)
	get(opLocalGet, place+1)
	out = append(out, opI64Add)
	get(opGlobalSet, c.counter)
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
