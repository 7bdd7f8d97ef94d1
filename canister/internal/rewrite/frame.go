package rewrite

import "slices"

// Sizes of a frame of the replica's engine (Cranelift on x86-64, no optimization), in bytes.
const (
	frameLink      = 16 // return address and saved frame pointer
	frameAlignment = 16
	registerBytes  = 8
	vectorBytes    = 16
	savedRegisters = 5 // integers that live across calls in registers; a function that uses one saves it
	intArguments   = 4 // registers for integer parameters, beside two of the engine's own
	floatArguments = 8
)

// valueClass is how a value is kept over a call.
type valueClass uint8

const (
	intClass valueClass = iota
	floatClass
	vectorClass
	valueClasses
)

func classOf(t valueType) valueClass {
	switch t {
	case typeF32, typeF64:
		return floatClass
	case typeV128:
		return vectorClass
	}
	return intClass
}

// frameModel estimates the frame that the replica's engine gives a function: it counts, at each place where the function as a replica
// instruments it calls something, the values that are needed afterwards.
type frameModel struct {
	calls    uint32 // places so far
	changes  [valueClasses][]int32
	values   []liveValue // of the locals, as they are now
	loops    []liveLoop
	most     [valueClasses]uint32
	outgoing uint32 // bytes of arguments on the stack, at most
}

// liveValue is the value of a local since it was last assigned.
type liveValue struct {
	assigned  int    // ordinal of the operator, 0 for a parameter, -1 for a local that was not assigned
	from, end uint32 // it lives across the calls from <= c < end
	loop      int    // first operator of the loop over which it is known to live, -1 for none
}

// liveLoop is an open loop. The locals that are read in it before they are assigned live to its end.
type liveLoop struct {
	first   int // ordinal of its operator
	carried []uint32
}

func (m *frameModel) reset(locals []localState) {
	m.calls, m.outgoing = 0, 0
	m.loops = m.loops[:0]
	for c := range m.changes {
		m.changes[c] = append(m.changes[c][:0], 0)
	}
	m.values = m.values[:0]
	for range locals {
		m.values = append(m.values, liveValue{assigned: 0, loop: -1})
	}
}

func (m *frameModel) declare(n int) {
	for len(m.values) < n {
		m.values = append(m.values, liveValue{assigned: -1, loop: -1})
	}
}

// call is a place where the function calls something.
func (m *frameModel) call() {
	m.calls++
	for c := range m.changes {
		m.changes[c] = append(m.changes[c], 0)
	}
}

// live counts a value that lives across the calls from <= c < end.
func (m *frameModel) live(t valueType, from, end uint32) {
	if end > from {
		changes := m.changes[classOf(t)]
		changes[from]++
		changes[end]--
	}
}

// openLoop and closeLoop stand around the body of a loop.
func (m *frameModel) openLoop(at int) {
	m.loops = append(m.loops, liveLoop{first: at})
	m.call()
}

func (m *frameModel) closeLoop() {
	last := len(m.loops) - 1
	for _, i := range m.loops[last].carried {
		m.values[i].end = m.calls
	}
	m.loops = m.loops[:last]
}

// read is a use of a local.
func (m *frameModel) read(i uint32) {
	v := &m.values[i]
	v.end = m.calls
	if len(m.loops) == 0 {
		return
	}
	outer, _ := slices.BinarySearchFunc(m.loops, v.assigned, func(l liveLoop, assigned int) int { return l.first - assigned })
	if outer < len(m.loops) && v.loop != m.loops[outer].first {
		l := &m.loops[outer]
		v.loop = l.first
		l.carried = append(l.carried, i)
	}
}

// assign ends the value that a local had.
func (m *frameModel) assign(i uint32, t valueType, at int) {
	v := &m.values[i]
	if v.assigned >= 0 {
		m.live(t, v.from, v.end)
	}
	v.assigned, v.from, v.end = at, m.calls, m.calls
}

// pass counts the arguments of a call that do not fit the registers.
func (m *frameModel) pass(params string) {
	m.outgoing = max(m.outgoing, stackArguments(params))
}

func stackArguments(params string) uint32 {
	ints, floats, bytes := 0, 0, uint32(0)
	for i := range len(params) {
		switch classOf(valueType(params[i])) {
		case intClass:
			if ints++; ints > intArguments {
				bytes += registerBytes
			}
		case floatClass:
			if floats++; floats > floatArguments {
				bytes += registerBytes
			}
		case vectorClass:
			if floats++; floats > floatArguments {
				bytes = align(bytes) + vectorBytes
			}
		}
	}
	return align(bytes)
}

func align(bytes uint32) uint32 { return (bytes + frameAlignment - 1) &^ (frameAlignment - 1) }

// size closes the function.
func (m *frameModel) size(locals []localState) uint32 {
	for i := range m.values {
		if v := &m.values[i]; v.assigned >= 0 {
			m.live(locals[i].typ, v.from, v.end)
		}
	}
	most := &m.most
	*most = [valueClasses]uint32{}
	for c, changes := range m.changes {
		now := int32(0)
		for _, change := range changes {
			now += change
			most[c] = max(most[c], uint32(now))
		}
	}
	ints := most[intClass] + 1 // the engine's own context
	saved := min(ints, savedRegisters)
	spilled := (ints-saved+most[floatClass])*registerBytes + most[vectorClass]*vectorBytes
	return frameLink + align(saved*registerBytes) + align(spilled) + m.outgoing
}
