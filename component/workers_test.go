package component

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Limits of the runs of programs.
const (
	maxActivations = 60
	maxTicks       = 200 // in a row without an action
	maxTrace       = 3000
)

// taskRecord is a call of a worker.
type taskRecord struct{ async, resolved, cancelled bool }

// activation is core code of a worker while it runs: a call with its callbacks, or a thread.
type activation struct {
	number, worker uint32
	kind           byte // one of the letters of functions, or T for a thread
	task           *taskRecord
	thread         *handleState // if its index is known
	script         []operation
	position       int
	held           int // backpressure that it must end
	code           int // of the operation that is done, -1 if none is
	words          [3]uint32
	item, other    *handleState // its operands
}

// newThread is a thread that a worker makes.
type newThread struct {
	task   *taskRecord
	script uint32
	handle *handleState
}

// interpreter follows a program and records what happens: both hosts ask it what to do.
type interpreter struct {
	program     *program
	trace       []string
	activations []*activation
	newThreads  []newThread
	handles     [3]map[uint32]*handleState
	threads     [3][]*handleState
	position    int // of the next action
	ticks       int
	calls       int // of the host
	done        map[int]bool
	asked       map[int]bool // calls that the host cancelled
	hostCalls   []bool       // of workers: whether they are open
	cancelled   map[int]bool // calls of workers whose cancellation is requested
}

func newInterpreter(p *program) *interpreter {
	in := &interpreter{program: p, done: map[int]bool{}, asked: map[int]bool{}, cancelled: map[int]bool{}}
	for n := range in.handles {
		in.handles[n] = map[uint32]*handleState{}
	}
	return in
}

func (in *interpreter) note(format string, args ...any) {
	in.trace = append(in.trace, fmt.Sprintf(format, args...))
}

const activationKinds = "sckptvT"

// begin begins core code of a worker.
func (in *interpreter) begin(worker, kind, script, end uint32) uint32 {
	a := &activation{number: uint32(len(in.activations)), worker: worker, kind: activationKinds[kind], code: -1}
	in.activations = append(in.activations, a)
	in.note("worker %d: a%d begins: %c(%d, %d)", worker, a.number, a.kind, script, end)
	switch a.kind {
	case 'T':
		made := in.newThreads[script]
		a.task, a.thread, script = made.task, made.handle, made.script
	default:
		a.task = &taskRecord{async: a.kind != 's' && a.kind != 'p'}
	}
	switch a.kind {
	case 't':
		in.add(worker, operandReadableStream, end)
	case 'v':
		in.add(worker, operandReadableFuture, end)
	}
	if len(in.activations) <= maxActivations {
		a.script = in.program.scripts[int(script)%len(in.program.scripts)]
	}
	return a.number
}

func (in *interpreter) add(worker uint32, kind operand, index uint32) *handleState {
	h := &handleState{kind: kind, index: index}
	in.handles[worker][index] = h
	return h
}

// event gives a callback its event.
func (in *interpreter) event(number, code, index, payload uint32) {
	a := in.activations[number]
	in.note("a%d: event %d of %d: %d", number, code, index, payload)
	in.learn(a, code, index, payload)
	if a.item != nil {
		a.item.waiting--
		a.item = nil
	}
}

// learn records what an event says.
func (in *interpreter) learn(a *activation, code, index, payload uint32) {
	h := in.handles[a.worker][index]
	switch {
	case eventCode(code) == eventTaskCancelled:
		a.task.cancelled = true
	case h == nil:
	case eventCode(code) == eventSubtask:
		h.done = subtaskState(payload) >= subtaskReturned
	case eventCode(code) != eventNone:
		h.copied(payload)
	}
}

// step takes the result of an operation and gives the next one.
func (in *interpreter) step(number uint32, result uint64) uint64 {
	a := in.activations[number]
	if a.code >= 0 {
		in.note("a%d: %s%v = %#x", number, operations[a.code].name, a.words[:len(operations[a.code].operands)], result)
		in.finish(a, result)
	}
	a.code, a.item, a.other, a.words = -1, nil, nil, [3]uint32{}
	for a.position < len(a.script) && len(in.trace) < maxTrace {
		o := a.script[a.position]
		a.position++
		if in.choose(a, o) {
			return in.issue(a)
		}
	}
	return in.end(a)
}

// issue begins the operation that was chosen.
func (in *interpreter) issue(a *activation) uint64 {
	in.note("a%d: %s%v", a.number, operations[a.code].name, a.words[:len(operations[a.code].operands)])
	in.expect(a)
	return uint64(a.code) | uint64(a.words[0])<<8 | uint64(a.words[1])<<32 | uint64(a.words[2])<<48
}

// end ends an activation: it ends backpressure and resolves its task before.
func (in *interpreter) end(a *activation) uint64 {
	name := ""
	switch {
	case a.held > 0:
		name = "backpressure.dec"
	case !a.task.async || a.task.resolved || a.kind == 'T':
	case a.task.cancelled && a.number%2 == 0:
		name = "task.cancel"
	default:
		name, a.words[0] = "task.return", 40+a.number
	}
	if name != "" {
		a.code = named(name)
		return in.issue(a)
	}
	if a.thread != nil {
		in.threads[a.worker] = slices.DeleteFunc(in.threads[a.worker], func(h *handleState) bool { return h == a.thread })
	}
	value := uint64(0) // of a callback: exit
	if a.kind == 's' || a.kind == 'p' {
		value = 20 + uint64(a.number)
	}
	in.note("a%d ends", a.number)
	return value << 8
}

// choose chooses the operands of an operation. It says whether it can be done.
func (in *interpreter) choose(a *activation, o operation) bool {
	name := operations[o.code].name
	target, function, _ := strings.Cut(name, ".")
	switch {
	case name == "return":
		return in.chooseReturn(a, o)
	case target == "first" && a.worker == 0, target == "second" && a.worker < 2:
		return false
	case name == "task.return" && (!a.task.async || a.task.resolved),
		name == "task.cancel" && (!a.task.async || a.task.resolved || !a.task.cancelled),
		name == "backpressure.dec" && a.held == 0:
		return false
	}
	synchronous := !strings.Contains(name, "async")
	for n, bits := range []byte{o.a, o.b, o.c} {
		if n == len(operations[o.code].operands) {
			break
		}
		kind := operations[o.code].operands[n]
		switch kind {
		case operandNumber:
			a.words[n] = uint32(bits)
		case operandScript:
			a.words[n] = uint32(bits) % uint32(len(in.program.scripts))
		case operandPointer:
			a.words[n] = 256 + uint32(bits)*8
		case operandLength:
			a.words[n] = uint32(bits) % 5
		case operandNewThread:
			a.words[n] = uint32(len(in.newThreads))
		default:
			h, ok := in.pick(a, kind, function, synchronous, bits)
			switch {
			case !ok:
				return false
			case h == nil:
			case n == 0 || a.item == nil:
				a.words[n], a.item = h.index, h
			default:
				a.words[n], a.other = h.index, h
			}
		}
	}
	a.code = int(o.code)
	return true
}

// chooseReturn chooses what a function with a callback returns: it yields, or waits for a set.
func (in *interpreter) chooseReturn(a *activation, o operation) bool {
	if strings.IndexByte("ctv", a.kind) < 0 {
		return false
	}
	a.words[0] = 1
	if set, ok := in.pick(a, operandSet, "wait", false, o.b); ok && o.a%4 > 0 {
		a.words[0] = 2 | set.index<<4
		a.item = set
	}
	a.code = 0
	return true
}

// identity names an option of a choice: a thread of a call of a worker, and of events the handle.
type identity struct{ worker, task, thread, handle uint32 }

// rank draws a number for an option of a choice. It is the same on both sides, if what happened before is.
func (in *interpreter) rank(kind string, o identity) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, in.program.seed, len(in.trace), kind, o)
	return h.Sum64() * 0x9e3779b97f4a7c15 >> 16
}

// option makes a choice between at least two options, which the trace has in their order.
func (in *interpreter) option(kind string, options []identity) int {
	best := 0
	for n := range options {
		if in.rank(kind, options[n]) < in.rank(kind, options[best]) {
			best = n
		}
	}
	chosen := options[best]
	sorted := slices.Clone(options)
	slices.SortFunc(sorted, func(a, b identity) int {
		return cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.task, b.task), cmp.Compare(a.thread, b.thread), cmp.Compare(a.handle, b.handle))
	})
	in.note("choice of a %s: %v of %v", kind, chosen, sorted)
	return best
}

// goesOn says whether a thread that waits for what is there goes on.
func (in *interpreter) goesOn(o identity) bool {
	on := in.program.free && in.rank("wait", o)%2 == 0
	if in.program.free {
		in.note("%v goes on: %v", o, on)
	}
	return on
}

// hostCall records a call that a worker makes to the host.
func (in *interpreter) hostCall(script uint32) {
	in.note("call h%d of the host with %d", len(in.hostCalls), script)
	in.hostCalls = append(in.hostCalls, true)
}

// report is what happened since the last action.
type report struct {
	progress  bool // a thread ran
	returned  []returnedCall
	cancelled []int // calls to the host
}

type returnedCall struct{ call, result int } // -1 if it was cancelled

// next gives the next action: call WORKER FUNCTION SCRIPT, tick, resolve CALL RESULT, drop CALL, cancel CALL or end.
func (in *interpreter) next(r report) []any {
	for _, c := range r.returned {
		in.note("call %d returns %d", c.call, c.result)
		in.done[c.call] = true
	}
	for _, n := range r.cancelled {
		in.note("the cancellation of h%d is requested", n)
		in.cancelled[n] = true
	}
	if action := in.action(); action != nil {
		in.ticks = 0
		return action
	}
	if in.ticks == 0 || r.progress && in.ticks < maxTicks {
		in.ticks++
		return []any{"tick"}
	}
	open := slices.Index(in.hostCalls, true)
	if open < 0 || in.ticks == maxTicks {
		return []any{"end"}
	}
	in.ticks = 0
	return in.resolve(open, open%2 == 0)
}

// action gives the next action of the program that can be done.
func (in *interpreter) action() []any {
	for in.position < len(in.program.actions) {
		a := in.program.actions[in.position]
		in.position++
		switch a.kind % 8 {
		case 0, 1, 2:
			in.calls++
			call := []any{"call", 2 - int(a.a)%3*int(a.a/3)%3, "sckp"[a.b%4 : a.b%4+1], int(a.b / 4)}
			in.note("%v", call)
			return call
		case 3, 4, 5:
			return []any{"tick"}
		case 6:
			if n := int(a.a); len(in.hostCalls) > 0 && in.hostCalls[n%len(in.hostCalls)] {
				return in.resolve(n%len(in.hostCalls), a.b%2 == 0)
			}
		case 7:
			if in.calls > 0 && !in.done[int(a.a)%in.calls] && !in.asked[int(a.a)%in.calls] {
				in.asked[int(a.a)%in.calls] = true
				in.note("cancel call %d", int(a.a)%in.calls)
				return []any{"cancel", int(a.a) % in.calls}
			}
		}
	}
	return nil
}

func (in *interpreter) resolve(n int, drop bool) []any {
	in.hostCalls[n] = false
	action := []any{"resolve", n, 100 + n}
	if drop && in.cancelled[n] {
		action = []any{"drop", n}
	}
	in.note("%v", action)
	return action
}
