package rewrite

import "slices"

// Frames of the replica's engine: Cranelift for x86-64 without optimization, with its calling convention for tail
// calls. Bytes.
const (
	frameLink      = 16 // return address and saved frame pointer
	frameAlignment = 16
	intBytes       = 8
	floatBytes     = 16 // floats and vectors have slots of one size
	savedRegisters = 5  // keep integers across calls; a function saves those that it uses
	intArguments   = 4  // registers for integer parameters, besides two of the engine's own
	floatArguments = 8

	// entryStack is what the engine has used of the call stack when it enters a canister, plus the space for the link
	// of a callee.
	entryStack = 80
)

// valueClass is a kind of register.
type valueClass uint8

const (
	intClass valueClass = iota
	floatClass
	valueClasses
)

func classOf(t valueType) valueClass {
	switch t {
	case typeF32, typeF64, typeV128:
		return floatClass
	}
	return intClass
}

// engineFrame estimates the frame that the replica's engine gives a function. It counts the values that are needed
// after each call, where a call is every call in the function as a replica instruments it, including the checks at its
// entry and at loop heads.
type engineFrame struct {
	calls    uint32                // so far
	changes  [][valueClasses]int32 // by call: values first needed after it, minus those that end
	values   []localValue          // of the locals, currently
	loops    []carryingLoop        // open ones
	outgoing uint32                // maximum bytes of arguments on the stack
}

// localValue is the value of a local since it was last assigned. It is needed after the calls from <= c < end.
type localValue struct {
	assigned  int32 // ordinal of the operator, 0 for a parameter, -1 for a local that was not assigned
	loop      int32 // ordinal of the open loop that carries it, if after the assignment; -1 for none
	from, end uint32
}

// carryingLoop is an open loop. A local that is read in it, but was assigned before it, is needed until its end.
type carryingLoop struct {
	first   int32 // ordinal of its operator
	carried []uint32
}

func (e *engineFrame) reset(params int) {
	e.calls, e.outgoing = 0, 0
	e.values, e.loops = e.values[:0], e.loops[:0]
	e.changes = append(e.changes[:0], [valueClasses]int32{})
	for range params {
		e.values = append(e.values, localValue{loop: -1})
	}
}

// declare adds locals, up to n in total. They are zero, and a constant needs no register.
func (e *engineFrame) declare(n int) {
	params := len(e.values)
	e.values = slices.Grow(e.values, n-params)[:n]
	for i := params; i < n; i++ {
		e.values[i] = localValue{assigned: -1, loop: -1}
	}
}

// addCall records a place where the function calls something.
func (e *engineFrame) addCall() {
	e.calls++
	e.changes = append(e.changes, [valueClasses]int32{})
}

// keep counts a value that is needed after the calls from <= c < end.
func (e *engineFrame) keep(t valueType, from, end uint32) {
	if end > from {
		class := classOf(t)
		e.changes[from][class]++
		e.changes[end][class]--
	}
}

func (e *engineFrame) openLoop(ordinal int32) {
	if n := len(e.loops); n < cap(e.loops) {
		e.loops = e.loops[:n+1]
	} else {
		e.loops = append(e.loops, carryingLoop{})
	}
	l := &e.loops[len(e.loops)-1]
	l.first, l.carried = ordinal, l.carried[:0]
	e.addCall()
}

func (e *engineFrame) closeLoop() {
	last := len(e.loops) - 1
	for _, i := range e.loops[last].carried {
		e.values[i].end, e.values[i].loop = e.calls, -1
	}
	e.loops = e.loops[:last]
}

// read records a use of a local.
func (e *engineFrame) read(local uint32) {
	v := &e.values[local]
	v.end = e.calls
	if n := len(e.loops); n > 0 && v.assigned < e.loops[n-1].first && v.loop <= v.assigned {
		e.carry(v, local)
	}
}

// carry makes the outermost loop that reads a local, but does not assign it before, carry its value.
func (e *engineFrame) carry(v *localValue, local uint32) {
	outermost := 0 // mostly; the search is for nested loops
	if e.loops[0].first <= v.assigned {
		outermost, _ = slices.BinarySearchFunc(e.loops, v.assigned, func(l carryingLoop, assigned int32) int {
			return int(l.first - assigned)
		})
	}
	l := &e.loops[outermost]
	v.loop = l.first
	l.carried = append(l.carried, local)
}

// assign ends the previous value of a local.
func (e *engineFrame) assign(local uint32, t valueType, ordinal int32) {
	v := &e.values[local]
	if v.assigned >= 0 {
		e.keep(t, v.from, v.end)
	}
	v.assigned, v.from, v.end = ordinal, e.calls, e.calls
}

// pass counts the arguments of a call that do not fit the registers.
func (e *engineFrame) pass(params string) {
	ints, floats, bytes := 0, 0, uint32(0)
	for i := range len(params) {
		switch t := valueType(params[i]); {
		case classOf(t) == intClass:
			if ints++; ints > intArguments {
				bytes += intBytes
			}
		default:
			if floats++; floats <= floatArguments {
				continue
			}
			if bytes += intBytes; t == typeV128 {
				bytes = alignFrame(bytes-intBytes) + floatBytes
			}
		}
	}
	e.outgoing = max(e.outgoing, alignFrame(bytes))
}

func alignFrame(bytes uint32) uint32 { return (bytes + frameAlignment - 1) &^ (frameAlignment - 1) }

// size returns the frame at the end of the function.
func (e *engineFrame) size(locals []localState) uint32 {
	for i := range e.values {
		if v := &e.values[i]; v.assigned >= 0 {
			e.keep(locals[i].typ, v.from, v.end)
		}
	}
	var now, most [valueClasses]int32
	for _, change := range e.changes {
		for c := range now {
			now[c] += change[c]
			most[c] = max(most[c], now[c])
		}
	}
	ints := uint32(most[intClass]) + 1 // the engine's own context
	saved := min(ints, savedRegisters)
	spilled := (ints-saved)*intBytes + uint32(most[floatClass])*floatBytes
	return frameLink + alignFrame(saved*intBytes) + alignFrame(spilled) + e.outgoing
}
