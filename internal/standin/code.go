package standin

// imports are the functions of the System API that a stand-in calls, with the index of their type.
var imports = []struct {
	name      string
	signature int
}{
	{"msg_arg_data_size", typeResult},
	{"msg_arg_data_copy", typeThree},
	{"msg_reply_data_append", typeTwo},
	{"msg_reply", typeNone},
	{"msg_reject", typeTwo},
	{"msg_method_name_size", typeResult},
	{"msg_method_name_copy", typeThree},
	{"accept_message", typeNone},
	{"trap", typeTwo},
}

// Indices of functions: the imports, in their order, and then those of the module. Exports follow.
const (
	callArgSize = iota
	callArgCopy
	callReplyAppend
	callReply
	callReject
	callNameSize
	callNameCopy
	callAccept
	callTrap
	funcFind
	funcAnswer
	funcInspect
	firstExport
)

// signatures are the types of functions: the numbers of parameters and of results, all i32.
var signatures = [][2]int{typeNone: {0, 0}, typeResult: {0, 1}, typeTwo: {2, 0}, typeThree: {3, 0}, typeFind: {3, 1}, typeFour: {4, 0}}

const (
	typeNone = iota
	typeResult
	typeTwo
	typeThree
	typeFind
	typeFour
)

// module returns the module with the section about it.
func (b *builder) module(about []byte) []byte {
	m := encoder("\x00asm\x01\x00\x00\x00")
	m.section(typeSection, vector(len(signatures), func(e *encoder, i int) {
		e.bytes(typeFunc)
		for _, n := range signatures[i] {
			e.bytes(vector(n, func(e *encoder, _ int) { e.bytes(typeI32) })...)
		}
	}))
	m.section(importSection, vector(len(imports), func(e *encoder, i int) {
		e.name("ic0")
		e.name(imports[i].name)
		e.bytes(kindFunc, byte(imports[i].signature))
	}))
	functions := []byte{typeFind, typeFour, typeFour}
	m.section(functionSection, vector(len(functions)+len(b.exports), func(e *encoder, i int) {
		if i < len(functions) {
			e.bytes(functions[i])
			return
		}
		e.bytes(typeNone)
	}))
	pages := (b.buffer() + b.longest + pageBytes - 1) / pageBytes
	m.section(memorySection, vector(1, func(e *encoder, _ int) { e.op(0, max(1, pages)) }))
	m.section(exportSection, vector(len(b.exports), func(e *encoder, i int) {
		e.name(b.exports[i].name)
		e.op(kindFunc, firstExport+i)
	}))
	bodies := []encoder{b.find(), b.answer(), b.inspection()}
	for i := range b.exports {
		bodies = append(bodies, b.exports[i].body())
	}
	m.section(codeSection, vector(len(bodies), func(e *encoder, i int) { e.uleb(len(bodies[i])); e.bytes(bodies[i]...) }))
	m.section(dataSection, vector(1, func(e *encoder, _ int) {
		e.bytes(0)
		e.constant(0)
		e.bytes(opEnd)
		e.name(string(b.data))
	}))
	m.custom("icp:public "+Section, about)
	if b.recording.Interface != "" {
		m.custom("icp:public candid:service", []byte(b.recording.Interface))
	}
	return m
}

func (e *encoder) custom(name string, content []byte) {
	var section encoder
	section.name(name)
	section.bytes(content...)
	e.section(customSection, section)
}

// buffer is the address at which an argument or a name is compared.
func (b *builder) buffer() int { return len(b.data) }

// body calls the function of an export.
func (x *export) body() (e encoder) {
	e.locals(0)
	for _, n := range x.constants {
		e.constant(n)
	}
	e.op(opCall, x.function)
	e.bytes(opEnd)
	return e
}

// find is a function that returns the address of the row whose key is in the buffer, or 0; no table is at 0:
//
//	(func $find (param $row i32) (param $end i32) (param $size i32) (result i32) (local $i i32)
//	  (block $none
//	    (loop $rows
//	      (br_if $none (i32.ge_u (local.get $row) (local.get $end)))
//	      (block $differs
//	        (br_if $differs (i32.ne (i32.load offset=4 (local.get $row)) (local.get $size)))
//	        (local.set $i (i32.const 0))
//	        (block $same
//	          (loop $bytes
//	            (br_if $same (i32.ge_u (local.get $i) (local.get $size)))
//	            (br_if $differs (i32.ne
//	              (i32.load8_u (i32.add (i32.load (local.get $row)) (local.get $i)))
//	              (i32.load8_u offset=BUFFER (local.get $i))))
//	            (local.set $i (i32.add (local.get $i) (i32.const 1)))
//	            (br $bytes)))
//	        (return (local.get $row)))
//	      (local.set $row (i32.add (local.get $row) (i32.const 20)))
//	      (br $rows)))
//	  (i32.const 0))
func (b *builder) find() (e encoder) {
	const row, end, size, i = 0, 1, 2, 3
	e.locals(1)
	e.bytes(opBlock, typeVoid, opLoop, typeVoid)
	e.get(row, end)
	e.bytes(opGreaterEq, opBrIf, 1)
	e.bytes(opBlock, typeVoid)
	e.get(row)
	e.load(keyBytesAt)
	e.get(size)
	e.bytes(opNotEqual, opBrIf, 0)
	e.constant(0)
	e.bytes(opLocalSet, i)
	e.bytes(opBlock, typeVoid, opLoop, typeVoid)
	e.get(i, size)
	e.bytes(opGreaterEq, opBrIf, 1)
	e.get(row)
	e.load(keyAt)
	e.get(i)
	e.bytes(opAdd, opLoad8, 0, 0)
	e.get(i)
	e.op(opLoad8, 0)
	e.uleb(b.buffer())
	e.bytes(opNotEqual, opBrIf, 2)
	e.get(i)
	e.constant(1)
	e.bytes(opAdd, opLocalSet, i, opBr, 0, opEnd, opEnd)
	e.get(row)
	e.bytes(opReturn, opEnd)
	e.get(row)
	e.constant(rowBytes)
	e.bytes(opAdd, opLocalSet, row, opBr, 0, opEnd, opEnd)
	e.constant(0)
	e.bytes(opEnd)
	return e
}

// lookup is a function that looks for the row of what a function of the System API copies, and otherwise passes a text to
// another one:
//
//	(func (param $first i32) (param $end i32) (param $text i32) (param $textSize i32) (local $size i32) (local $row i32)
//	  (local.set $size (call SIZE))
//	  (block $missing
//	    (br_if $missing (i32.gt_u (local.get $size) (i32.const LONGEST)))
//	    (call COPY (i32.const BUFFER) (i32.const 0) (local.get $size))
//	    (local.set $row (call $find (local.get $first) (local.get $end) (local.get $size)))
//	    (br_if $missing (i32.eqz (local.get $row)))
//	    FOUND
//	    (return))
//	  (call OTHERWISE (local.get $text) (local.get $textSize)))
func (b *builder) lookup(sizeOf, copyOf, otherwise int, found func(e *encoder, row byte)) (e encoder) {
	const first, end, text, textSize, size, row = 0, 1, 2, 3, 4, 5
	e.locals(2)
	e.op(opCall, sizeOf)
	e.bytes(opLocalSet, size, opBlock, typeVoid)
	e.get(size)
	e.constant(b.longest)
	e.bytes(opGreater, opBrIf, 0)
	e.constant(b.buffer())
	e.constant(0)
	e.get(size)
	e.op(opCall, copyOf)
	e.get(first, end, size)
	e.op(opCall, funcFind)
	e.bytes(opLocalTee, row, opEqz, opBrIf, 0)
	found(&e, row)
	e.bytes(opReturn, opEnd)
	e.get(text, textSize)
	e.op(opCall, otherwise)
	e.bytes(opEnd)
	return e
}

// answer is the function that answers a query. What it does with a row:
//
//	(if (i32.load offset=16 (local.get $row))
//	  (then (call $msg_reject (i32.load offset=8 (local.get $row)) (i32.load offset=12 (local.get $row))) (return)))
//	(call $msg_reply_data_append (i32.load offset=8 (local.get $row)) (i32.load offset=12 (local.get $row)))
//	(call $msg_reply)
func (b *builder) answer() encoder {
	return b.lookup(callArgSize, callArgCopy, callReject, func(e *encoder, row byte) {
		answer := func(function int) {
			for _, offset := range []int{answerAt, answerBytesAt} {
				e.get(row)
				e.load(offset)
			}
			e.op(opCall, function)
		}
		e.get(row)
		e.load(rejectsAt)
		e.bytes(opIf, typeVoid)
		answer(callReject)
		e.bytes(opReturn, opEnd)
		answer(callReplyAppend)
		e.op(opCall, callReply)
	})
}

// inspection is the function that inspects a message of a user.
func (b *builder) inspection() encoder {
	return b.lookup(callNameSize, callNameCopy, callTrap, func(e *encoder, _ byte) { e.op(opCall, callAccept) })
}
