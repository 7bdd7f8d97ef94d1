package components

import (
	"crypto/sha256"
	"encoding/binary"
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
	l.identity = identityOf(content)
	c = c.global(l.own.slots).i32(l.identity).access(opI32Store, identityOffset)
	c = append(c.global(l.own.slots), at(tables)...).i32(maxHandles).call(l.of("start"))
	c = c.i32(maxCopyElements).call(l.of("ends_limit"))
	c = c.i32(int32(l.tableSize)).call(l.of("callbacks_at"))
	if l.wasi {
		c = append(c, starts...).call(l.of("end_line"))
	}

	l.addCallbacks()
	l.setBody(l.start, 0, c)
	l.setBody(l.checkIdentity, 0, l.identityCheck())
	mutable := func(value int32) []byte { return append(code{typeI32, 1}.i32(value), wasmfile.OpEnd) }
	for range ownGlobalCount {
		l.globals = append(l.globals, mutable(0))
	}
}

// identityOffset is where the memory of the runtime has its identity: behind the slots of 16 values.
const identityOffset = 16 * slotBytes

// identityOf returns what tells the memory of one linked module from that of another: the runtime's layout, and the tables that
// its state refers to.
func identityOf(tables []byte) int32 {
	sum := sha256.New()
	sum.Write(runtime)
	sum.Write(tables)
	return int32(binary.LittleEndian.Uint32(sum.Sum(nil)))
}

// identityCheck traps if another linker or runtime made the memory. A network keeps the component and links it again, so a canister
// can outlive the program that linked it.
func (l *linker) identityCheck() code {
	c := code{}.op(wasmfile.OpBlock, wasmfile.BlockEmpty)
	c = c.global(l.own.slots).access(opI32Load, identityOffset).i32(l.identity).op(opI32Equal, opBranchIf, 0)
	return append(c, l.trapWith("the memory of the canister was made by another version of canisterd: upgrade the canister with its component, without canister_pre_upgrade (--skip-pre-upgrade)")...)
}

// checkMemory traps if the bytes that the allocator of the program gave are not all in the memory: some allocators never grow it.
func (l *linker) checkMemory(size uint32) code {
	const wasmPageBits = 16
	c := code{}.op(wasmfile.OpBlock, wasmfile.BlockEmpty)
	c = c.global(l.own.slots).op(opI64ExtendI32U).i32(int32(size)).op(opI64ExtendI32U, opI64Add)
	c = c.op(wasmfile.OpMemorySize, 0, opI64ExtendI32U).i32(wasmPageBits).op(opI64ExtendI32U, opI64ShiftLeft, opI64LessEqualU, opBranchIf, 0)
	return append(c, l.trapWith(fmt.Sprintf("the allocator of the component gave memory outside its memory: a canister needs %d bytes of it", size))...)
}

// trapWith traps with a reason, and ends a block. The reason is written over the beginning of the memory, which the trap undoes.
func (l *linker) trapWith(text string) code {
	c := code{}.i32(0).i32(0).i32(int32(len(text))).memoryInit(l.addData([]byte(text)))
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
		place, typ, _ := l.runtimeFunction(name)
		checked := l.add("checked-"+name, typ, body(0, code{}.call(l.checkIdentity).get(0).call(place)))
		element = wasmfile.AppendU32(element, checked)
	}
	l.elements = append(l.elements, element)
	l.tableSize += callbackCount
}
