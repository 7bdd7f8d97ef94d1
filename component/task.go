package component

import "context"

// task is a call of an exported function of an instance.
type task struct {
	instance *instanceState
	typ      *funcType
	options  *runOptions
	call     *call
	resolved bool
	borrows  int // handles that the call must drop before it returns
	context  [contextSlots]uint64
}

// plainTask is a call of a core function that is no component function: realloc, a destructor, or a start function.
func (s *instanceState) plainTask() *task { return &task{instance: s, options: &runOptions{}} }

// subtask is a call of an imported function: handles that lend to it until it returned, and what it was lent.
type subtask struct {
	lenders []*handle
	lent    []*Resource
}

func (s *subtask) end() {
	for _, h := range s.lenders {
		h.lends--
	}
	for _, r := range s.lent {
		r.state = resourceGone
	}
	s.lenders, s.lent = nil, nil
}

// call is a call of a component function. start gives its arguments, once the callee can be entered; resolve takes its
// result.
type call struct {
	ctx     context.Context
	caller  *instanceState // nil for a call from outside
	start   func() []any
	resolve func(result any)
}

// entered are the instances that a call from another instance enters: the callee and the components around it that are
// not around the caller.
func (s *instanceState) entered(caller *instanceState) []*instanceState {
	var all []*instanceState
	for i := s; i != nil; i = i.parent {
		for c := caller; c != nil; c = c.parent {
			if c == i {
				return all
			}
		}
		all = append(all, i)
	}
	return all
}

// enter marks the instances that a call enters, and gives the function that ends this.
func (s *instanceState) enter(caller *instanceState) (leave func()) {
	all := s.entered(caller)
	for _, i := range all {
		if i.running {
			trap("cannot enter component instance")
		}
	}
	for _, i := range all {
		i.running = true
	}
	return func() {
		for _, i := range all {
			i.running = false
		}
	}
}
