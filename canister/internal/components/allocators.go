package components

import (
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// reallocExport is the name by which tools export the allocator of a program, also if no function of the component needs it.
const reallocExport = "cabi_realloc"

// findRealloc returns the allocator of the program, or one that only takes new pages of memory.
func (l *linker) findRealloc(typ string) uint32 {
	var found *uint32
	take := func(o component.CanonOptions) {
		if o.Realloc == nil {
			return
		}
		place := l.function(*o.Realloc)
		if found != nil && *found != place {
			refuse("the component has more than one allocator (realloc)")
		}
		found = &place
	}
	for _, e := range l.linking.Exports {
		take(e.Func.Options)
	}
	for _, c := range l.canons {
		if c.Func == nil || !strings.HasPrefix(c.Func.Import, "wasi:") { // which have their own (withAllocator)
			take(c.Options)
		}
	}
	if found != nil {
		return *found
	}
	if l.memory != nil {
		if i, ok := l.memory.exports[exportKey{wasmfile.KindFunction, reallocExport}]; ok {
			return l.memory.function(i)
		}
	}
	return l.add("realloc", typ, body(2, l.pageAllocator()))
}

// pageAllocator is the body of realloc(old, old size, align, size).
func (l *linker) pageAllocator() code {
	const old, oldSize, align, size, place, pages = 0, 1, 2, 3, 4, 5
	c := code{}.global(l.own.heap).get(align).op(opI32Add).i32(1).op(opI32Sub).i32(0).get(align).op(opI32Sub, opI32And).set(place)
	c = c.op(wasmfile.OpBlock, wasmfile.BlockEmpty)
	c = c.get(place).get(size).op(opI32Add).global(l.own.heapEnd).op(opI32GreaterU, opI32Eqz, opBranchIf, 0)
	c = c.get(size).i32(16).op(opI32ShiftRightU).i32(1).op(opI32Add).set(pages)
	c = c.get(pages).op(wasmfile.OpMemoryGrow, 0).set(place)
	c = c.op(wasmfile.OpBlock, wasmfile.BlockEmpty).get(place).i32(-1).op(opI32NotEqual, opBranchIf, 0, wasmfile.OpUnreachable, wasmfile.OpEnd)
	c = c.get(place).get(pages).op(opI32Add).i32(16).op(opI32ShiftLeft).setGlobal(l.own.heapEnd)
	c = c.get(place).i32(16).op(opI32ShiftLeft).set(place).op(wasmfile.OpEnd)
	c = c.get(place).get(size).op(opI32Add).setGlobal(l.own.heap)
	c = c.get(place).get(old).get(oldSize).op(wasmfile.OpMisc, miscMemoryCopy, 0, 0)
	return c.get(place)
}

// withAllocator returns a function that calls another one while its allocator is the one for the results.
func (l *linker) withAllocator(c *component.Canon, typ string, function uint32) uint32 {
	if c.Options.Realloc == nil {
		return function
	}
	place := l.add(c.Func.Import, typ, nil)
	l.importAllocators = append(l.importAllocators, *c.Options.Realloc)
	params, _ := signature(typ)
	call := code{}.i32(int32(len(l.importAllocators))).setGlobal(l.own.allocator)
	for i := range params {
		call = call.get(uint32(i))
	}
	l.setBody(place, 0, call.call(function))
	return place
}

// generateImportRealloc writes the allocator of the function that the program calls.
func (l *linker) generateImportRealloc() {
	var c code
	for i, item := range l.importAllocators {
		c = c.whenGlobal(l.own.allocator, int32(i+1), code{}.get(0).get(1).get(2).get(3).call(l.function(item)).op(opReturn))
	}
	l.setBody(l.dispatchers["import_realloc"], 0, c.op(wasmfile.OpUnreachable))
}
