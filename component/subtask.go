package component

import (
	"context"
	"slices"
)

// subtaskState says how far a subtask is. The values are those of core code.
type subtaskState uint8

const (
	subtaskStarting subtaskState = iota
	subtaskStarted
	subtaskReturned
	subtaskCancelledBeforeStarted
	subtaskCancelledBeforeReturned
)

// blocked is what core code gets from a built-in function that would block.
const blocked = 0xffff_ffff

// subtask is a call from the side of its caller: a component, or the host.
type subtask struct {
	waitable
	callee        *task      // nil if it is a function of the host
	lower         *lowered   // nil if the host calls
	values        *subValues // nil if there are none
	resultPointer uint32
	state         subtaskState
	cancelling    bool // its cancellation was requested
	delivered     bool // the caller knows the end
}

// subValues are the values of a call, which most calls that wait do not have any more.
type subValues struct {
	args, results []uint64 // core values
	lenders       []*handle
	lent          []*Resource
	call          *Call       // if the host calls
	completion    *Completion // if the host is called, and finishes later
}

func (s *subtask) base() *waitable  { return &s.waitable }
func (s *subtask) kindName() string { return "subtask" }

// host gives the tree of instances that the call is made in.
func (s *subtask) host() *host {
	if s.lower == nil {
		return s.values.call.instance.host
	}
	return s.lower.instance.host
}

func (s *subtask) resolved() bool { return s.state >= subtaskReturned }

// take gives the state of the subtask. What it was lent returns with the last one.
func (s *subtask) take() event {
	if s.resolved() {
		s.deliver()
	}
	return event{eventSubtask, s.index, uint32(s.state)}
}

// deliver ends what the subtask borrows.
func (s *subtask) deliver() {
	s.delivered = true
	if s.values == nil || s.lower == nil {
		return
	}
	for _, h := range s.values.lenders {
		h.lends--
	}
	for _, r := range s.values.lent {
		r.state = resourceGone
	}
	s.values = nil
}

// progress records that the state changes.
func (s *subtask) progress() {
	if s.index != 0 {
		s.lower.instance.host.notify(s)
	}
}

// start gives the arguments, once the callee can be entered.
func (s *subtask) start() []any {
	s.state = subtaskStarted
	if s.lower == nil {
		return s.values.call.args
	}
	s.progress()
	l := s.lower
	a := l.side(s)
	args := a.liftAll(l.typ.params, s.values.args, l.flat.paramsSpill)
	if c := s.values.completion; c != nil {
		c.charge(a.lifted)
	}
	s.values.args = nil
	s.dropValues()
	return args
}

// dropValues forgets the values of a call that core code does not wait for in place, once it needs none.
func (s *subtask) dropValues() {
	if v := s.values; s.index != 0 && s.state != subtaskStarting && len(v.lenders) == 0 && v.completion == nil {
		s.values = nil
	}
}

// resolve takes the result.
func (s *subtask) resolve(result any) {
	if l := s.lower; l == nil {
		s.values.call.result = result
	} else {
		s.storeResult(result)
	}
	s.end(subtaskReturned)
}

// resolveCancelled ends the subtask without a result.
func (s *subtask) resolveCancelled() {
	if s.state == subtaskStarting {
		s.end(subtaskCancelledBeforeStarted)
	} else {
		s.end(subtaskCancelledBeforeReturned)
	}
}

func (s *subtask) end(state subtaskState) {
	s.state, s.callee = state, nil
	if s.lower == nil {
		return
	}
	s.progress()
	if s.waiter != nil && s.index == 0 {
		s.lower.instance.host.signal(s.waiter)
	}
}

func (s *subtask) storeResult(result any) {
	l := s.lower
	if l.typ.result == nil {
		return
	}
	a := l.side(s)
	if l.flat.resultsSpill {
		a.checkRange(s.resultPointer, l.typ.result.size32.align, l.typ.result.size32.size, "tuple")
		a.storeValue(l.typ.result, result, s.resultPointer)
		return
	}
	copy(s.values.results, a.lower(l.typ.result, result, nil))
}

// cancel asks the callee to end.
func (s *subtask) cancel(entered []*instanceState) {
	s.cancelling = true
	if s.callee != nil {
		s.callee.requestCancel(entered)
	} else {
		s.values.completion.requestCancel()
	}
}

// lowered is a function that an instance imports, as a core function.
type lowered struct {
	instance *instanceState
	typ      *funcType
	target   *function
	options  runOptions
	flat     flatFunc
	entered  []*instanceState // that a call enters
	within   bool             // one of the two instances is in the other one
	spare    *subValues       // of a call that returned, for the next one
}

// lower makes a core function of a component function.
func (s *instanceState) lower(d canonDef) builtin {
	typ := s.scope.funcs[d.function]
	l := &lowered{instance: s, typ: typ, target: s.items[sortFunc][d.function].function, options: s.options(d.options)}
	l.flat = typ.flattenFunc(caller, l.options.async, false)
	if l.target.lifted != nil {
		callee := l.target.lifted.instance
		l.entered = callee.entered(s)
		l.within = slices.Contains(callee.around, s) || slices.Contains(s.around, callee)
	}
	return l.call
}

// side gives the caller's side of a call.
func (l *lowered) side(s *subtask) *abi {
	a := l.options.abi
	a.subtask, a.outside = s, l.target.outside()
	return &a
}

// call calls the function. A synchronous caller is blocked until it returned.
func (l *lowered) call(_ context.Context, stack []uint64) {
	l.instance.checkLeaving()
	if l.within && l.instance.host.testRules {
		trap("cannot enter component instance")
	}
	v := l.takeSpare()
	v.args, v.results = stack[:len(l.flat.core.params)], stack
	s := &subtask{lower: l, values: v}
	if l.flat.resultsSpill {
		s.resultPointer = uint32(stack[len(l.flat.core.params)-1])
	}
	l.target.call(s, l.entered)
	if !l.options.async && !s.resolved() {
		s.detach()
		l.instance.host.await(&s.waitable)
	}
	if s.resolved() {
		s.deliver()
		*v = subValues{}
		l.spare = v
		if l.options.async {
			stack[0] = uint64(s.state)
		}
		return
	}
	s.detach()
	s.index = l.instance.handles.add(s)
	s.dropValues()
	stack[0] = uint64(s.state) | uint64(s.index)<<4
}

func (l *lowered) takeSpare() *subValues {
	v := l.spare
	l.spare = nil
	if v == nil {
		v = &subValues{}
	}
	return v
}

// detach keeps of the values of a call what it needs when core code goes on.
func (s *subtask) detach() {
	v := s.values
	v.args = append([]uint64(nil), v.args...)
	if s.lower.options.async {
		v.results = nil
	}
}

// cancelSubtask is subtask.cancel.
func (s *instanceState) cancelSubtask(index uint32, async bool) uint32 {
	sub := tableItem[*subtask](s, index)
	switch {
	case sub.delivered:
		trap("`subtask.cancel` called after terminal status delivered")
	case sub.cancelling:
		trap("`subtask.cancel` called more than once for the same subtask")
	case sub.set != nil && !async:
		trapSynchronous()
	}
	if !sub.resolved() {
		sub.cancel(sub.lower.entered)
		if !sub.resolved() {
			if async {
				return blocked
			}
			s.host.await(&sub.waitable)
		}
	}
	return s.host.take(sub).payload
}

// dropSubtask is subtask.drop.
func (s *instanceState) dropSubtask(index uint32) {
	sub := tableItem[*subtask](s, index)
	if !sub.delivered {
		trap("cannot drop a subtask which has not yet resolved")
	}
	s.host.join(sub, nil)
	s.handles.remove(index)
}
