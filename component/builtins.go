package component

import "context"

// asyncBuiltin makes a built-in function of tasks, waitables, streams or futures. It gets core values and gives at most one.
func (s *instanceState) asyncBuiltin(d canonDef) builtin {
	run := s.asyncFunction(d)
	return func(_ context.Context, stack []uint64) {
		s.checkLeaving()
		result := run(stack)
		if len(signatures[d.kind].results) > 0 {
			stack[0] = result
		}
	}
}

type asyncFunction = func(args []uint64) (result uint64)

func (s *instanceState) asyncFunction(d canonDef) asyncFunction {
	switch {
	case d.kind >= canonStreamNew && d.kind <= canonFutureDropWritable:
		return s.endFunction(d)
	case d.kind >= canonErrorContextNew && d.kind <= canonErrorContextDrop:
		return s.errorContextFunction(d)
	case d.kind >= canonThreadYield && d.kind != canonSubtaskDrop && d.kind < canonStreamNew, d.kind >= canonThreadIndex:
		return s.threadFunction(d)
	}
	return s.waitableFunction(d)
}

// waitableFunction makes a built-in function of subtasks and waitable sets.
func (s *instanceState) waitableFunction(d canonDef) asyncFunction {
	h := s.host
	switch d.kind {
	case canonSubtaskCancel:
		return func(args []uint64) uint64 { return uint64(s.cancelSubtask(uint32(args[0]), d.flag)) }
	case canonSubtaskDrop:
		return func(args []uint64) uint64 { s.dropSubtask(uint32(args[0])); return 0 }
	case canonWaitableSetNew:
		return func([]uint64) uint64 { return uint64(s.handles.add(&waitableSet{})) }
	case canonWaitableSetWait:
		memory := s.memory(d.memory)
		return func(args []uint64) uint64 {
			set := tableItem[*waitableSet](s, uint32(args[0]))
			return memory.storeEvent(h.waitFor(set, d.flag), uint32(args[1]))
		}
	case canonWaitableSetPoll:
		memory := s.memory(d.memory)
		return func(args []uint64) uint64 {
			set := tableItem[*waitableSet](s, uint32(args[0]))
			return memory.storeEvent(h.poll(set, d.flag), uint32(args[1]))
		}
	case canonWaitableSetDrop:
		return func(args []uint64) uint64 { s.dropSet(uint32(args[0])); return 0 }
	case canonWaitableJoin:
		return func(args []uint64) uint64 { s.joinSet(uint32(args[0]), uint32(args[1])); return 0 }
	}
	return nil
}

// memory gives a side of calls that uses a memory alone.
func (s *instanceState) memory(index uint32) *abi {
	item := s.core[sortCoreMemory][index]
	return &abi{instance: s, memory: item.module.ExportedMemory(item.name)}
}

// storeEvent writes what an event is about, and gives its code.
func (a *abi) storeEvent(e event, pointer uint32) uint64 {
	a.checkRange(pointer, 4, 8, "event")
	a.storePair(pointer, e.index, e.payload)
	return uint64(e.code)
}

// joinSet is waitable.join.
func (s *instanceState) joinSet(item, set uint32) {
	w, ok := s.handles.get(item).(waitableItem)
	if !ok {
		trap("handle index %d used with the wrong type, expected waitable but found %s", item, s.handles.get(item).kindName())
	}
	if w.base().waiter != nil {
		trapSynchronous()
	}
	var to *waitableSet
	if set != 0 {
		to = tableItem[*waitableSet](s, set)
	}
	s.host.join(w, to)
}
