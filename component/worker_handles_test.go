package component

import (
	"cmp"
	"slices"
	"strings"
)

// handleState is what a worker knows of an item of its handle table, or of a thread.
type handleState struct {
	kind      operand
	index     uint32
	set       *handleState // that it joined
	members   int          // of a set
	waiting   int          // threads that wait for a set
	busy      bool         // a copy
	inCall    bool         // a synchronous function waits for it
	done      bool         // an end copies no more; the end of a subtask was delivered
	cancelled bool         // subtask.cancel was called
	suspended bool         // a thread
}

// copied records the result of a copy.
func (h *handleState) copied(payload uint32) {
	if payload == blocked {
		return
	}
	h.busy = false
	result := copyResult(payload & 15)
	future := h.kind == operandReadableFuture || h.kind == operandWritableFuture
	h.done = h.done || result == copyDropped || future && result == copyCompleted
}

// pick chooses a handle that an operation can be done with; rarely, any one of its kind.
func (in *interpreter) pick(a *activation, kind operand, function string, synchronous bool, bits byte) (*handleState, bool) {
	if kind == operandJoined && bits%4 == 0 {
		return nil, true
	}
	var all []*handleState
	from := in.threads[a.worker]
	if kind != operandThread {
		from = nil
		for _, h := range in.handles[a.worker] {
			from = append(from, h)
		}
		slices.SortFunc(from, func(a, b *handleState) int { return cmp.Compare(a.index, b.index) })
	}
	for _, h := range from {
		if h.is(kind) && (bits == 255 || h.fits(function, synchronous)) {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	return all[int(bits)%len(all)], true
}

func (h *handleState) is(kind operand) bool {
	switch kind {
	case operandWaitable:
		return h.kind != operandSet && h.kind != operandThread
	case operandJoined:
		return h.kind == operandSet
	}
	return h.kind == kind
}

// fits says whether a function can be called with a handle without a trap.
func (h *handleState) fits(function string, synchronous bool) bool {
	verb, _, _ := strings.Cut(function, " ")
	inSet := h.set != nil && synchronous
	switch h.kind {
	case operandSubtask:
		switch verb {
		case "drop":
			return h.done
		case "cancel":
			return !h.done && !h.cancelled && !inSet && !h.inCall
		}
		return !h.inCall
	case operandSet:
		if verb == "drop" {
			return h.members == 0 && h.waiting == 0
		}
		return h.members > 0 || verb == "join"
	case operandThread:
		return h.suspended || strings.Contains(verb, "promote")
	}
	switch verb {
	case "read", "write":
		return !h.busy && !h.done && !inSet
	case "cancel-read", "cancel-write":
		return h.busy && !h.cancelled && !h.inCall && !inSet
	case "drop-readable":
		return !h.busy
	case "drop-writable":
		return !h.busy && (h.done || h.kind == operandWritableStream)
	case "t", "v":
		return !h.busy && !h.done && h.set == nil
	}
	return !h.inCall
}

// expect records what an operation does before its result is known.
func (in *interpreter) expect(a *activation) {
	name := operations[a.code].name
	_, function, _ := strings.Cut(name, ".")
	verb, option, _ := strings.Cut(function, " ")
	h := a.item
	switch verb {
	case "read", "write":
		h.busy, h.inCall = true, option == ""
	case "cancel-read", "cancel-write":
		h.cancelled, h.inCall = true, option == ""
	case "cancel":
		if h != nil {
			h.cancelled, h.inCall = true, option == ""
		}
	case "wait":
		h.waiting++
	case "t", "v":
		delete(in.handles[a.worker], h.index)
	case "new-indirect":
		in.newThreads = append(in.newThreads, newThread{a.task, a.number, &handleState{kind: operandThread, suspended: true}})
	case "resume-later":
		h.suspended = false
	case "inc":
		a.held++
	case "dec":
		a.held--
	case "return":
		a.task.resolved = a.task.resolved || name == "task.return"
	}
	if strings.Contains(verb, "-then-resume") {
		h.suspended = false
	}
	if strings.HasPrefix(verb, "suspend") && a.thread != nil {
		a.thread.suspended = true
	}
	switch name {
	case "return":
		if h != nil {
			h.waiting++
		}
	case "task.cancel":
		a.task.resolved = true
	}
}

// finish records the result of an operation.
func (in *interpreter) finish(a *activation, result uint64) {
	name := operations[a.code].name
	target, function, _ := strings.Cut(name, ".")
	verb, _, _ := strings.Cut(function, " ")
	h, low, high := a.item, uint32(result), uint32(result>>32)
	async := strings.HasSuffix(name, " async")
	switch {
	case name == "waitable-set.new":
		in.add(a.worker, operandSet, low)
	case name == "stream.new":
		in.add(a.worker, operandReadableStream, low)
		in.add(a.worker, operandWritableStream, high)
	case name == "future.new":
		in.add(a.worker, operandReadableFuture, low)
		in.add(a.worker, operandWritableFuture, high)
	case name == "thread.new-indirect":
		made := in.newThreads[a.words[0]].handle
		made.index = low
		in.threads[a.worker] = append(in.threads[a.worker], made)
	case name == "thread.index":
		if a.thread == nil {
			a.thread = &handleState{kind: operandThread, index: low}
			in.threads[a.worker] = append(in.threads[a.worker], a.thread)
		}
	case strings.HasPrefix(name, "waitable-set.wait"), strings.HasPrefix(name, "waitable-set.poll"):
		if verb == "wait" {
			h.waiting--
		}
		in.learn(a, low&15, low>>4, high)
	case name == "waitable.join":
		h.join(a.other)
	case strings.HasPrefix(verb, "drop"):
		h.join(nil)
		delete(in.handles[a.worker], h.index)
	case verb == "cancel" && target == "subtask":
		h.inCall = false
		h.done = h.done || low != blocked
	case strings.HasPrefix(verb, "read"), strings.HasPrefix(verb, "write"), strings.HasPrefix(verb, "cancel-"):
		h.inCall = false
		h.cancelled = h.cancelled && low == blocked
		h.copied(low)
	case strings.HasPrefix(name, "thread.") && strings.HasSuffix(name, "cancellable") && low == 1:
		a.task.cancelled = true
	case async && low>>4 != 0:
		in.add(a.worker, operandSubtask, low>>4)
	}
	if a.thread != nil {
		a.thread.suspended = false
	}
}

func (h *handleState) join(set *handleState) {
	if h.set != nil {
		h.set.members--
	}
	if h.set = set; set != nil {
		set.members++
	}
}
