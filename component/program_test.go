package component

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// program is what the workers of testdata/valid/workers.wat and their host do. It is data: operands are drawn from what is
// there when an operation is reached, so a program stays one when a part of it is removed.
type program struct {
	seed    uint64
	free    bool // a thread that could go on may do so; else it always blocks, as in the deterministic profile
	actions []action
	scripts [][]operation
}

// action is something that the host does.
type action struct{ kind, a, b byte }

// operation is one of the table operations, with bytes that choose its operands.
type operation struct{ code, a, b, c byte }

// operand says what an operand of an operation is.
type operand uint8

const (
	operandNone operand = iota
	operandSubtask
	operandSet
	operandJoined // a set, or 0
	operandWaitable
	operandReadableStream
	operandWritableStream
	operandReadableFuture
	operandWritableFuture
	operandThread
	operandNewThread
	operandScript
	operandPointer
	operandLength
	operandNumber
)

// operationKind is an operation of workers.wat.
type operationKind struct {
	name     string
	operands []operand
	weight   int
}

// operations are in the order of the table of workers.wat.
var operations = slices.Concat(
	[]operationKind{
		{"return", nil, 30},
		{"task.return", []operand{operandNumber}, 4},
		{"task.cancel", nil, 4},
		{"backpressure.inc", nil, 4},
		{"backpressure.dec", nil, 6},
		{"waitable-set.new", nil, 12},
		{"waitable-set.wait", []operand{operandSet, operandPointer}, 10},
		{"waitable-set.wait cancellable", []operand{operandSet, operandPointer}, 10},
		{"waitable-set.poll", []operand{operandSet, operandPointer}, 6},
		{"waitable-set.poll cancellable", []operand{operandSet, operandPointer}, 6},
		{"waitable-set.drop", []operand{operandSet}, 3},
		{"waitable.join", []operand{operandWaitable, operandJoined}, 30},
		{"subtask.cancel", []operand{operandSubtask}, 6},
		{"subtask.cancel async", []operand{operandSubtask}, 10},
		{"subtask.drop", []operand{operandSubtask}, 10},
	},
	endOperations("stream", operandReadableStream, operandWritableStream, []operand{operandPointer, operandLength}),
	endOperations("future", operandReadableFuture, operandWritableFuture, []operand{operandPointer}),
	[]operationKind{
		{"thread.new-indirect", []operand{operandNewThread}, 10},
		{"thread.resume-later", []operand{operandThread}, 12},
		{"thread.suspend", nil, 2},
		{"thread.suspend cancellable", nil, 3},
		{"thread.yield", nil, 10},
		{"thread.yield cancellable", nil, 10},
		{"thread.suspend-then-resume", []operand{operandThread}, 3},
		{"thread.suspend-then-resume cancellable", []operand{operandThread}, 3},
		{"thread.yield-then-resume", []operand{operandThread}, 5},
		{"thread.yield-then-resume cancellable", []operand{operandThread}, 5},
		{"thread.suspend-then-promote", []operand{operandThread}, 2},
		{"thread.suspend-then-promote cancellable", []operand{operandThread}, 2},
		{"thread.yield-then-promote", []operand{operandThread}, 4},
		{"thread.yield-then-promote cancellable", []operand{operandThread}, 4},
		{"thread.index", nil, 3},
		{"context.get", nil, 3},
		{"context.set", []operand{operandNumber}, 3},
		{"fill", []operand{operandPointer, operandNumber, operandLength}, 6},
		{"load", []operand{operandPointer}, 6},
	},
	callOperations("first"), callOperations("second"),
	[]operationKind{
		{"host async", []operand{operandScript, operandPointer}, 15},
		{"host", []operand{operandScript}, 6},
	},
)

func endOperations(name string, readable, writable operand, buffer []operand) []operationKind {
	reads, writes := append([]operand{readable}, buffer...), append([]operand{writable}, buffer...)
	return []operationKind{
		{name + ".new", nil, 8},
		{name + ".read async", reads, 12},
		{name + ".read", reads, 4},
		{name + ".write async", writes, 12},
		{name + ".write", writes, 4},
		{name + ".cancel-read async", []operand{readable}, 3},
		{name + ".cancel-read", []operand{readable}, 3},
		{name + ".cancel-write async", []operand{writable}, 3},
		{name + ".cancel-write", []operand{writable}, 3},
		{name + ".drop-readable", []operand{readable}, 3},
		{name + ".drop-writable", []operand{writable}, 3},
	}
}

func callOperations(target string) (all []operationKind) {
	call := func(function string, weight int, async bool, operands ...operand) {
		if async {
			all = append(all, operationKind{target + "." + function + " async", append(operands, operandPointer), weight})
		}
		all = append(all, operationKind{target + "." + function, operands, weight / 3})
	}
	for _, function := range []string{"s", "c", "k"} {
		call(function, 12, true, operandScript)
	}
	call("p", 12, false, operandScript)
	call("t", 12, true, operandScript, operandReadableStream)
	call("v", 12, true, operandScript, operandReadableFuture)
	return all
}

// phrases are operations that mean something together. They keep others from being as rare as at random.
var phrases = [][]string{
	{"waitable-set.new", "host async", "waitable.join", "return"},
	{"waitable-set.new", "first.c async", "waitable.join", "waitable-set.wait cancellable", "subtask.drop"},
	{"waitable-set.new", "first.k async", "second.s async", "waitable.join", "waitable.join", "waitable-set.wait", "waitable-set.wait"},
	{"waitable-set.new", "stream.new", "first.t async", "stream.write async", "waitable.join", "return"},
	{"stream.new", "second.t async", "fill", "stream.write", "stream.drop-writable"},
	{"waitable-set.new", "stream.read async", "waitable.join", "waitable-set.wait", "load", "stream.drop-readable"},
	{"stream.read async", "stream.write async", "stream.cancel-read", "stream.cancel-write async"},
	{"future.new", "second.v async", "fill", "future.write", "future.drop-writable"},
	{"future.read", "load", "future.drop-readable"},
	{"waitable-set.new", "future.new", "future.read async", "waitable.join", "first.v async", "return"},
	{"thread.new-indirect", "thread.yield-then-resume cancellable", "thread.new-indirect", "thread.resume-later"},
	{"thread.index", "thread.new-indirect", "thread.suspend-then-resume cancellable"},
	{"thread.index", "thread.yield", "thread.resume-later"},
	{"backpressure.inc", "thread.yield", "host", "backpressure.dec"},
	{"first.c async", "subtask.cancel async", "waitable-set.new", "waitable.join", "waitable-set.poll"},
	{"return", "return", "task.cancel"},
}

// named gives the number of the operation with a name.
func named(name string) int {
	return slices.IndexFunc(operations, func(o operationKind) bool { return o.name == name })
}

// drawProgram draws the program of a seed.
func drawProgram(seed uint64) *program {
	chance := rand.New(rand.NewPCG(seed, 39))
	total := 0
	for _, kind := range operations {
		total += kind.weight
	}
	operands := func(code int) operation {
		bytes := chance.Uint32()
		return operation{byte(code), byte(bytes), byte(bytes >> 8), byte(bytes >> 16)}
	}
	draw := func() operation {
		at, code := chance.IntN(total), 0
		for at >= operations[code].weight {
			at -= operations[code].weight
			code++
		}
		return operands(code)
	}
	p := &program{seed: seed, free: seed%2 == 1}
	for range 3 + chance.IntN(5) {
		var script []operation
		for range 2 + chance.IntN(10) {
			if chance.IntN(3) > 0 {
				script = append(script, draw())
				continue
			}
			for _, name := range phrases[chance.IntN(len(phrases))] {
				script = append(script, operands(named(name)))
			}
		}
		p.scripts = append(p.scripts, script)
	}
	for range 2 + chance.IntN(16) {
		bytes := chance.Uint32()
		p.actions = append(p.actions, action{byte(bytes), byte(bytes >> 8), byte(bytes >> 16)})
	}
	return p
}

// String shows a program.
func (p *program) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "seed %d, free %v, actions %v\n", p.seed, p.free, p.actions)
	for n, script := range p.scripts {
		fmt.Fprintf(&s, "script %d:", n)
		for _, o := range script {
			fmt.Fprintf(&s, " %s(%d %d %d);", operations[o.code].name, o.a, o.b, o.c)
		}
		s.WriteString("\n")
	}
	return s.String()
}
