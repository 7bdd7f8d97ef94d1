package component

import "context"

// lift makes a component function of a core function.
func (s *instanceState) lift(d canonDef) *function {
	typ := s.scope.funcs[len(s.funcs)]
	options := s.options(d.options)
	flat := typ.flattenFunc(callee, options.async, options.callback)
	core := s.callable(d.function)
	return &function{typ: typ, call: func(c call) {
		leave := s.enter(c.caller)
		around := s.task
		t := &task{instance: s, typ: typ, options: &options, call: &c}
		s.task = t
		a := t.abi()
		if options.async && s.backpressure > 0 {
			trapWaiting("backpressure")
		}
		args := a.lowerAll(typ.params, c.start(), flat.paramsSpill)
		stack := make([]uint64, max(len(args), len(flat.core.results)))
		copy(stack, args)
		rethrow(core.call(c.ctx, stack))
		if options.async {
			t.exit(stack)
		} else {
			t.finish(a.liftResult(typ, stack, flat.resultsSpill))
		}
		if options.postReturn != nil {
			s.leaving = false
			rethrow(options.postReturn.call(c.ctx, stack))
			s.leaving = true
		}
		s.task = around
		leave()
	}}
}

// abi gives the side of the task in its call.
func (t *task) abi() *abi {
	a := t.options.abi
	a.ctx, a.task, a.outside = t.call.ctx, t, t.call.caller == nil
	return &a
}

func (a *abi) liftResult(typ *funcType, flat []uint64, spilled bool) any {
	if typ.result == nil {
		return nil
	}
	return a.liftAll([]field{{typ: typ.result}}, flat, spilled)[0]
}

// finish ends the call of a task with its result.
func (t *task) finish(result any) {
	if t.resolved {
		trap("`task.return` or `task.cancel` called more than once for current task")
	}
	if t.borrows > 0 {
		trap("borrow handles still remain at the end of the call")
	}
	t.call.resolve(result)
	t.resolved = true
}

// exit checks the end of an asynchronous task.
func (t *task) exit(stack []uint64) {
	const exit = 0
	if t.options.callback && stack[0]&0xf != exit {
		trapWaiting("a task that waits for events")
	}
	if !t.resolved {
		trap("async-lifted export failed to produce a result")
	}
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
		t := s.task
		if !t.options.async {
			trap("`task.return` called by a synchronous task")
		}
		if !sameResult(returns.result, t.typ.result) || options.encoding != t.options.encoding ||
			options.memory != nil && options.memory != t.options.memory {
			trap("invalid `task.return` signature and/or options for current task")
		}
		var result any
		if returns.result != nil {
			result = t.abi().liftAll(returns.params, stack, flat.paramsSpill)[0]
		}
		t.finish(result)
	}
}

func sameResult(a, b *valueType) bool {
	if a == nil || b == nil {
		return a == b
	}
	c := (&scope{validation: &validation{}}).compare(0)
	return c.types(a, b) == ""
}

// lower makes a core function of a component function.
func (s *instanceState) lower(d canonDef) builtin {
	typ := s.scope.funcs[d.function]
	target := s.funcs[d.function]
	options := s.options(d.options)
	flat := typ.flattenFunc(caller, options.async, false)
	return func(ctx context.Context, stack []uint64) {
		s.checkLeaving()
		a := options.abi
		a.ctx, a.subtask, a.outside = ctx, &subtask{}, target.outside
		args := append([]uint64(nil), stack[:len(flat.core.params)]...)
		target.call(call{
			ctx: ctx, caller: s,
			start: func() []any { return a.liftAll(typ.params, args, flat.paramsSpill) },
			resolve: func(result any) {
				switch {
				case typ.result == nil:
				case flat.resultsSpill:
					pointer := uint32(args[len(args)-1])
					a.checkRange(pointer, typ.result.size32.align, typ.result.size32.size, "tuple")
					a.storeValue(typ.result, result, pointer)
				default:
					copy(stack, a.lower(typ.result, result, nil))
				}
			},
		})
		a.subtask.end()
		if options.async {
			const returned = 2 // the state of a subtask that needs no handle
			stack[0] = returned
		}
	}
}
