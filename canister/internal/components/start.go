package components

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// runtimeSize reads how many bytes of memory the data of the runtime takes, from the section dylink.0: its first part has the
// size.
func runtimeSize() uint32 {
	const memoryInfo = 1
	r := wasmfile.NewReader(runtime[len(wasmfile.Header):])
	if r.Byte() != wasmfile.SectionCustom {
		panic("the runtime has no section dylink.0")
	}
	section := wasmfile.NewReader(r.Block())
	if string(section.Block()) != "dylink.0" || section.Byte() != memoryInfo {
		panic("the runtime has no section dylink.0")
	}
	return wasmfile.NewReader(section.Block()).U32()
}

func align(n, to uint32) uint32 { return (n + to - 1) &^ (to - 1) }

// startFunctions calls those of the core modules.
func (l *linker) startFunctions() (c code) {
	for _, p := range l.parts {
		if p.m.Start != nil && p != l.runtime { // which has relocations there, of data that it does not have yet
			c = c.call(p.function(*p.m.Start))
		}
	}
	return c
}

// generateStart writes the start function: the runtime gets its memory, and the start functions of the core modules run. They come
// first, because the program's allocator may need them, unless they may call the runtime: allocators of programs with WASI do not
// need them.
func (l *linker) generateStart() {
	stack := uint32(slotsBytes)
	data := stack + stackBytes
	tables := align(data+runtimeSize(), tableAlign)
	content := l.tables.bytes()
	size := align(tables+uint32(len(content)), runtimeAlign)

	starts := l.startFunctions()
	var c code
	if !l.wasi {
		c, starts = starts, nil
	}
	c = c.i32(0).i32(0).i32(runtimeAlign).i32(int32(size)).call(l.realloc).setGlobal(l.own.slots)
	c = append(c, l.checkMemory(size)...)
	at := func(offset uint32) code { return code{}.global(l.own.slots).i32(int32(offset)).op(opI32Add) }
	c = c.global(l.own.slots).i32(0).i32(int32(size)).op(wasmfile.OpMisc, miscMemoryFill, 0)
	c = append(c, at(data)...).setGlobal(l.own.stackPointer)
	c = append(c, at(data)...).setGlobal(l.own.memoryBase)
	for i, s := range l.runtime.segments {
		if i > 0 {
			panic("the runtime has several data segments")
		}
		c = append(c, at(data)...).i32(0).i32(int32(len(s.Content))).memoryInit(l.runtime.data)
	}
	c = append(c, at(tables)...).i32(0).i32(int32(len(content))).memoryInit(l.addData(content))
	c = append(c.global(l.own.slots), at(tables)...).i32(maxHandles).call(l.of("start"))
	c = c.i32(maxCopyElements).call(l.of("ends_limit"))
	c = c.i32(int32(l.tableSize)).call(l.of("callbacks_at"))
	if l.wasi {
		c = append(c, starts...).call(l.of("end_line"))
	}

	l.addCallbacks()
	l.setBody(l.start, 0, c)
	mutable := func(value int32) []byte { return append(code{typeI32, 1}.i32(value), wasmfile.OpEnd) }
	for range ownGlobalCount {
		l.globals = append(l.globals, mutable(0))
	}
}

// checkMemory traps if the bytes that the allocator of the program gave are not all in the memory: some allocators never grow it. The
// reason is written over the beginning of the memory, which the trap undoes.
func (l *linker) checkMemory(size uint32) code {
	const wasmPageBits = 16
	text := fmt.Sprintf("the allocator of the component gave memory outside its memory: a canister needs %d bytes of it", size)
	c := code{}.op(wasmfile.OpBlock, wasmfile.BlockEmpty)
	c = c.global(l.own.slots).op(opI64ExtendI32U).i32(int32(size)).op(opI64ExtendI32U, opI64Add)
	c = c.op(wasmfile.OpMemorySize, 0, opI64ExtendI32U).i32(wasmPageBits).op(opI64ExtendI32U, opI64ShiftLeft, opI64LessEqualU, opBranchIf, 0)
	c = c.i32(0).i32(0).i32(int32(len(text))).memoryInit(l.addData([]byte(text)))
	c = c.i32(0).i32(int32(len(text))).call(l.system("trap"))
	return c.op(wasmfile.OpUnreachable, wasmfile.OpEnd)
}

// addData adds a data segment that the code copies, and returns its place.
func (l *linker) addData(content []byte) uint32 {
	l.data = append(l.data, wasmfile.AppendSegment(nil, wasmfile.Segment{Content: content}))
	return uint32(len(l.data) - 1)
}

// addCallbacks puts the functions that the network calls into the table.
func (l *linker) addCallbacks() {
	element := append(code{0}.i32(int32(l.tableSize)), wasmfile.OpEnd, callbackCount)
	for _, name := range [callbackCount]string{"on_reply", "on_reject", "on_cleanup"} {
		element = wasmfile.AppendU32(element, l.of(name))
	}
	l.elements = append(l.elements, element)
	l.tableSize += callbackCount
}
