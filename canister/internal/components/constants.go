package components

import "github.com/canisterd/canisterd/canister/internal/wasmfile"

// The compiler reads all mutable globals again after each call. A component of shared libraries has one for each address that a
// library has of another one, hundreds in all. A function of its own assigns them, which was called when the component was made
// if that has run already.

// removeUnused removes the code of functions that nothing refers to.
func (l *linker) removeUnused() {
	for _, p := range l.parts {
		for n := range p.m.Bodies {
			if !p.referred[uint32(len(p.m.Imports)+n)] {
				l.bodies[p.functions-uint32(len(l.imports))+uint32(n)] = body(0, code{wasmfile.OpUnreachable})
				p.assigned[n] = nil
			}
		}
	}
}

// fixGlobals makes globals immutable that no function assigns.
func (l *linker) fixGlobals() {
	assigned := make([]bool, l.own.stackPointer+ownGlobalCount)
	for _, p := range l.parts {
		for _, globals := range p.assigned {
			for _, g := range globals {
				assigned[g] = true
			}
		}
	}
	const mutability = 1 // place of the byte after the type
	for i, g := range l.globals {
		if !assigned[i] {
			g[mutability] = 0
		}
	}
}
