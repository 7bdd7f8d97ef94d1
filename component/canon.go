package component

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// function is a component function: one that an instance lifts, or one of the host.
type function struct {
	typ    *funcType
	lifted *lifted
	host   func(s *subtask)
}

func (f *function) outside() bool { return f.lifted == nil }

// call begins a call, which enters instances. It is resolved when this returns, or later.
func (f *function) call(s *subtask, entered []*instanceState) {
	if f.lifted != nil {
		f.lifted.call(s, entered)
	} else {
		f.host(s)
	}
}

type builtin = func(ctx context.Context, stack []uint64)

// makeBuiltins makes an instance of a module with a function for each canonical definition that defines a core function.
// Definitions say what the functions do when they are reached.
func (s *instanceState) makeBuiltins() {
	if len(s.scope.builtins) == 0 {
		return
	}
	s.builtins = make([]builtin, 0, len(s.scope.builtins))
	compiled, err := s.host.component.builtinsOf(s.host.ctx, s.scope)
	if err != nil {
		trap("making the functions of canonical definitions: %v", err)
	}
	s.builtinModule = s.instantiateCore(s.host.ctx, compiled, func(string) api.Module { return nil })
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
		s.add(sortFunc, exportedItem{function: s.lift(d)})
		return
	}
	run := s.builtin(d)
	item := coreItem{
		module: s.builtinModule, name: builtinName(len(s.builtins)), direct: run,
		typ: coreExtern{sort: sortCoreFunc, fn: s.scope.coreFuncs[len(s.core[sortCoreFunc])]},
	}
	s.builtins = append(s.builtins, run)
	s.addCore(sortCoreFunc, item)
}

func (s *instanceState) builtin(d canonDef) builtin {
	switch d.kind {
	case canonLower:
		return s.lower(d)
	case canonResourceNew:
		return s.resourceNew(s.items[sortType][d.typ].resource)
	case canonResourceDrop:
		return s.resourceDrop(s.items[sortType][d.typ].resource)
	case canonResourceRep:
		r := s.items[sortType][d.typ].resource
		return func(_ context.Context, stack []uint64) {
			stack[0] = uint64(s.resourceAt(uint32(stack[0]), r).representation)
		}
	case canonContextGet:
		return func(_ context.Context, stack []uint64) { stack[0] = s.host.current.storage[d.slot] }
	case canonContextSet:
		return func(_ context.Context, stack []uint64) { s.host.current.storage[d.slot] = stack[0] }
	case canonTaskReturn:
		return s.taskReturn(d)
	case canonTaskCancel:
		return s.taskCancel
	case canonBackpressureInc, canonBackpressureDec:
		step := 1
		if d.kind == canonBackpressureDec {
			step = -1
		}
		return func(context.Context, []uint64) { s.changeBackpressure(step) }
	}
	return s.asyncBuiltin(d)
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
	s.host.wakeStart(s)
}

// runOptions are the options of a canonical definition at run time.
type runOptions struct {
	abi
	async                bool
	callback, postReturn *coreFunction
}

func (s *instanceState) options(list []option) (o runOptions) {
	o.instance = s
	for _, option := range list {
		switch option.code {
		case optionUTF8, optionUTF16, optionLatin1:
			o.encoding = option.code
		case optionMemory:
			item := s.core[sortCoreMemory][option.index]
			o.memory = item.module.ExportedMemory(item.name)
		case optionRealloc:
			o.realloc = s.callable(option.index)
		case optionPostReturn:
			o.postReturn = s.callable(option.index)
		case optionAsync:
			o.async = true
		case optionCallback:
			o.callback = s.callable(option.index)
		}
	}
	return o
}
