package component

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// function is a component function: one that an instance lifts, or one of the host.
type function struct {
	typ     *funcType
	outside bool // of the host
	// call runs the function. It calls start, then resolve, or ends by a panic with a *Trap.
	call func(c call)
}

type builtin = func(ctx context.Context, stack []uint64)

// makeBuiltins makes a module with a function for each canonical definition of the component that defines a core function.
// Definitions say what the functions do when they are reached.
func (s *instanceState) makeBuiltins() {
	if len(s.scope.builtins) == 0 {
		return
	}
	s.builtins = make([]builtin, 0, len(s.scope.builtins))
	builder := s.host.component.engine.NewHostModuleBuilder("builtins")
	for i, place := range s.scope.builtins {
		fn := s.scope.coreFuncs[place]
		run := func(ctx context.Context, stack []uint64) { s.builtins[i](ctx, stack) }
		builder.NewFunctionBuilder().WithGoFunction(api.GoFunc(run), engineTypes(fn.params), engineTypes(fn.results)).Export(builtinName(i))
	}
	compiled, err := builder.Compile(s.host.ctx)
	if err != nil {
		trap("making the functions of canonical definitions: %v", err)
	}
	s.host.code = append(s.host.code, compiled)
	s.builtinModule = s.instantiateCore(compiled, func(string) api.Module { return nil })
}

func engineTypes(types []coreValue) []api.ValueType {
	all := make([]api.ValueType, len(types))
	for i, t := range types {
		all[i] = t[0]
	}
	return all
}

func (s *instanceState) canonical(d canonDef) {
	if d.kind == canonLift {
		s.funcs = append(s.funcs, s.lift(d))
		return
	}
	run := s.builtin(d)
	item := coreItem{
		module: s.builtinModule, name: builtinName(len(s.builtins)), direct: run,
		typ: coreExtern{sort: sortCoreFunc, fn: s.scope.coreFuncs[len(s.coreFuncs)]},
	}
	s.builtins = append(s.builtins, run)
	s.addCore(sortCoreFunc, item)
}

func (s *instanceState) builtin(d canonDef) builtin {
	switch d.kind {
	case canonLower:
		return s.lower(d)
	case canonResourceNew:
		return s.resourceNew(s.types[d.typ])
	case canonResourceDrop:
		return s.resourceDrop(s.types[d.typ])
	case canonResourceRep:
		r := s.types[d.typ]
		return func(_ context.Context, stack []uint64) {
			stack[0] = uint64(s.handles.get(uint32(stack[0]), r).representation)
		}
	case canonContextGet:
		return func(_ context.Context, stack []uint64) { stack[0] = s.task.context[d.slot] }
	case canonContextSet:
		return func(_ context.Context, stack []uint64) { s.task.context[d.slot] = stack[0] }
	case canonTaskReturn:
		return s.taskReturn(d)
	case canonBackpressureInc, canonBackpressureDec:
		step := 1
		if d.kind == canonBackpressureDec {
			step = -1
		}
		return func(context.Context, []uint64) { s.changeBackpressure(step) }
	}
	return func(context.Context, []uint64) {
		s.checkLeaving()
		trapWaiting(canonicals[d.kind].name)
	}
}

// checkLeaving traps where a component may call neither its imports nor built-in functions: in realloc and post-return.
func (s *instanceState) checkLeaving() {
	if !s.leaving {
		trap("cannot leave component instance")
	}
}

func (s *instanceState) changeBackpressure(step int) {
	s.backpressure += step
	if s.backpressure < 0 || s.backpressure > maxBackpressure {
		trap("backpressure counter overflow")
	}
}

// runOptions are the options of a canonical definition at run time.
type runOptions struct {
	abi
	async, callback bool
	postReturn      *coreFunction
}

func (s *instanceState) options(list []option) (o runOptions) {
	o.instance = s
	for _, option := range list {
		switch option.code {
		case optionUTF8, optionUTF16, optionLatin1:
			o.encoding = option.code
		case optionMemory:
			item := s.coreItems[sortCoreMemory][option.index]
			o.memory = item.module.ExportedMemory(item.name)
		case optionRealloc:
			o.realloc = s.callable(option.index)
		case optionPostReturn:
			o.postReturn = s.callable(option.index)
		case optionAsync:
			o.async = true
		case optionCallback:
			o.callback = true
		}
	}
	return o
}

func (s *instanceState) resourceNew(r *resourceInstance) builtin {
	return func(_ context.Context, stack []uint64) {
		s.checkLeaving()
		stack[0] = uint64(s.handles.add(&handle{resource: r, representation: uint32(stack[0]), own: true}))
	}
}

func (s *instanceState) resourceDrop(r *resourceInstance) builtin {
	return func(ctx context.Context, stack []uint64) {
		s.checkLeaving()
		h := s.handles.remove(uint32(stack[0]), r)
		if h.own {
			r.drop(ctx, s, h.representation)
		} else {
			h.task.borrows--
		}
	}
}

// drop runs the destructor of a resource, as a call of the instance that defines it.
func (r *resourceInstance) drop(ctx context.Context, caller *instanceState, representation uint32) {
	switch {
	case r.owner == nil:
		if r.dropped != nil {
			r.dropped(ctx, representation)
		}
	case r.destructor != nil:
		leave := r.owner.enter(caller)
		around := r.owner.task
		r.owner.task = r.owner.plainTask()
		rethrow(r.destructor.call(ctx, []uint64{uint64(representation)}))
		r.owner.task = around
		leave()
	}
}
