package component

import (
	"github.com/tetratelabs/wazero/api"
	coretable "github.com/tetratelabs/wazero/experimental/table"
)

// usesThreads says whether core code of the component may block, which takes a stack of its own, and whether it may ask for
// the indices of threads.
func (s *scope) usesThreads() (blocks, threaded bool) {
	for _, definition := range s.definitions {
		if d, ok := definition.body.(canonDef); ok {
			blocks = blocks || s.mayBlock(d)
			threaded = threaded || d.kind >= canonThreadIndex && d.kind <= canonThreadYieldPromote
		}
	}
	return blocks, threaded
}

// mayBlock says whether the core function of a canonical definition may block its caller.
func (s *scope) mayBlock(d canonDef) bool {
	switch d.kind {
	case canonLower:
		return s.funcs[d.function].async && !d.async()
	case canonSubtaskCancel, canonStreamCancelRead, canonStreamCancelWrite, canonFutureCancelRead, canonFutureCancelWrite:
		return !d.flag
	case canonStreamRead, canonStreamWrite, canonFutureRead, canonFutureWrite:
		return !d.async()
	case canonWaitableSetWait, canonThreadYield:
		return true
	}
	return d.kind > canonThreadIndex && d.kind <= canonThreadYieldPromote
}

// async says whether the definition has the option async.
func (d canonDef) async() bool {
	for _, o := range d.options {
		if o.code == optionAsync {
			return true
		}
	}
	return false
}

// threadFunction makes a built-in function of threads.
func (s *instanceState) threadFunction(d canonDef) asyncFunction {
	h := s.host
	cancelled := func(c bool) uint64 {
		if c {
			return 1
		}
		return 0
	}
	switch d.kind {
	case canonThreadIndex:
		return func([]uint64) uint64 { return uint64(h.current.index) }
	case canonThreadNewIndirect:
		return s.newThread(d)
	case canonThreadYield:
		return func([]uint64) uint64 { return cancelled(h.wait(waitTurn, d.flag)) }
	case canonThreadSuspend:
		return func([]uint64) uint64 { return cancelled(h.suspend(d.flag, nil)) }
	case canonThreadResumeLater:
		return func(args []uint64) uint64 {
			th := s.suspended(uint32(args[0]))
			h.beginWait(th, waitTurn, th.cancellable)
			return 0
		}
	case canonThreadSuspendResume:
		return func(args []uint64) uint64 { return cancelled(h.suspend(d.flag, s.suspended(uint32(args[0])))) }
	case canonThreadYieldResume:
		return func(args []uint64) uint64 { return cancelled(h.yieldTo(d.flag, s.suspended(uint32(args[0])))) }
	case canonThreadSuspendPromote:
		return func(args []uint64) uint64 {
			return cancelled(h.promote(d.flag, s.threads.get(uint32(args[0])), h.suspend))
		}
	case canonThreadYieldPromote:
		return func(args []uint64) uint64 {
			return cancelled(h.promote(d.flag, s.threads.get(uint32(args[0])), h.yieldTo))
		}
	}
	name := canonicals[d.kind].name
	return func([]uint64) uint64 { trap("%s: this host runs threads of one core", name); return 0 }
}

// suspended gives the thread at an index, which must wait for nothing but to be resumed.
func (s *instanceState) suspended(index uint32) *thread {
	th := s.threads.get(index)
	if th.wait != waitNothing {
		trap("cannot resume thread which is not suspended")
	}
	return th
}

// suspend blocks the current thread until another one resumes it, and runs the given one next, if any.
func (h *host) suspend(cancellable bool, to *thread) (cancelled bool) {
	if h.current.task.deliverCancel(cancellable) {
		return true
	}
	return h.block(cancellable, to)
}

// yieldTo makes the current thread wait for its turn, and runs the given one next, if any.
func (h *host) yieldTo(cancellable bool, to *thread) (cancelled bool) {
	if to == nil {
		return h.wait(waitTurn, cancellable)
	}
	if h.current.task.deliverCancel(cancellable) {
		return true
	}
	h.beginWait(h.current, waitTurn, cancellable)
	return h.block(cancellable, to)
}

// promote blocks the current thread in a way, and runs another one next if it is ready.
func (h *host) promote(cancellable bool, to *thread, block func(cancellable bool, to *thread) bool) (cancelled bool) {
	if h.current.task.deliverCancel(cancellable) {
		return true
	}
	if !to.ready() {
		return block(cancellable, nil)
	}
	h.endWait(to)
	return block(cancellable, to)
}

// newThread makes thread.new-indirect: a thread that calls a function of a table, once it is resumed.
func (s *instanceState) newThread(d canonDef) asyncFunction {
	fn := s.scope.coreTypes[d.typ].(*coreFunc)
	item := s.core[sortCoreTable][d.table]
	exporter := s.link([]coreItem{item}, func(w *linkWriter) { w.export([]string{"0"}) })
	return func(args []uint64) uint64 {
		run, err := lookUp(exporter, uint32(args[0]), fn)
		rethrow(err)
		th := &thread{task: s.host.current.task}
		s.register(th)
		argument := args[1]
		s.host.starts[th] = func() {
			rethrow(run.CallWithStack(s.host.ctx, []uint64{argument}))
			s.unregister(th)
		}
		return uint64(th.index)
	}
}

// lookUp gives the function of a type at an index of the first table of a module.
func lookUp(module api.Module, index uint32, fn *coreFunc) (f api.Function, err error) {
	defer func() {
		if fault, ok := recover().(error); ok {
			err = fault
		}
	}()
	return coretable.LookupFunction(module, 0, index, engineTypes(fn.params), engineTypes(fn.results)), nil
}
