package component

import "context"

// lifted is a core function that an instance exports as a component function.
type lifted struct {
	instance *instanceState
	typ      *funcType
	options  runOptions
	flat     flatFunc
	core     *coreFunction
	callback *coreFunction // nil if it has none
	blocks   bool          // core code of the instance may block
	spare    *task         // that ended, for the next call
}

// lift makes a component function of a core function.
func (s *instanceState) lift(d canonDef) *function {
	l := &lifted{instance: s, typ: s.scope.funcs[len(s.items[sortFunc])], options: s.options(d.options), blocks: s.blocks}
	l.callback = l.options.callback
	l.flat = l.typ.flattenFunc(callee, l.options.async, l.callback != nil)
	l.core = s.callable(d.function)
	return &function{typ: l.typ, lifted: l}
}

// call begins a task, and runs it until it returns or is blocked.
func (l *lifted) call(s *subtask, entered []*instanceState) {
	enter(entered)
	t := l.newTask(s)
	s.callee = t
	l.instance.host.resume(&t.thread, false)
	leave(entered)
	if t.state == taskResolved && t.threads == 0 {
		l.spare = t
	}
}

// abi gives the side of the task in its call.
func (t *task) abi() *abi {
	a := t.lifted.options.abi
	a.task, a.outside = t, t.caller.lower == nil
	return &a
}

func (a *abi) liftResult(typ *funcType, flat []uint64, spilled bool) any {
	if typ.result == nil {
		return nil
	}
	return a.liftAll([]field{{typ: typ.result}}, flat, spilled)[0]
}

// taskReturn makes the function with which an asynchronous task gives its result.
func (s *instanceState) taskReturn(d canonDef) builtin {
	options := s.options(d.options)
	returns := &funcType{}
	if d.result != nil {
		returns.result = s.scope.resolve(0, *d.result)
		returns.params = []field{{typ: returns.result}}
	}
	flat := returns.flattenFunc(caller, false, false)
	return func(_ context.Context, stack []uint64) {
		s.checkLeaving()
		t := s.host.current.task
		own := &t.lifted.options
		if !own.async {
			trap("`task.return` called by a synchronous task")
		}
		if !sameType(returns.result, t.lifted.typ.result) || options.encoding != own.encoding ||
			options.memory != nil && options.memory != own.memory {
			trap("invalid `task.return` signature and/or options for current task")
		}
		var result any
		if returns.result != nil {
			result = t.abi().liftAll(returns.params, stack, flat.paramsSpill)[0]
		}
		t.finish(result)
	}
}

// taskCancel is task.cancel.
func (s *instanceState) taskCancel(context.Context, []uint64) {
	s.checkLeaving()
	t := s.host.current.task
	if !t.lifted.options.async {
		trap("`task.cancel` called by a synchronous task")
	}
	t.cancel()
}

// sameType says whether two types of a scope, which may be none, are the same.
func sameType(a, b *valueType) bool {
	if a == nil || b == nil {
		return a == b
	}
	c := (&scope{validation: &validation{}}).compare(0)
	return c.types(a, b) == ""
}
