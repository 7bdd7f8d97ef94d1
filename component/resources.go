package component

import "context"

// resourceInstance is a resource type at run time: each instance of a component that defines one has its own.
type resourceInstance struct {
	owner      *instanceState                                   // that defines it
	destructor *coreFunction                                    // nil if it has none
	dropped    func(ctx context.Context, representation uint32) // of a resource of the host, whose owner is nil
}

// handle is an item of the handle table of an instance.
type handle struct {
	resource       *resourceInstance
	representation uint32
	own            bool
	lends          int   // calls that borrow from it now
	task           *task // of a borrowed handle: the call that must drop it before it ends
}

func (*handle) kindName() string { return "resource" }

// resourceAt gives the handle at an index, which must be one of a resource.
func (s *instanceState) resourceAt(index uint32, r *resourceInstance) *handle {
	h := tableItem[*handle](s, index)
	if h.resource != r {
		trap("handle index %d used with the wrong type, expected guest-defined resource but found a different guest-defined resource", index)
	}
	return h
}

// removeResource takes a handle out of the table. Nothing may borrow from it.
func (s *instanceState) removeResource(index uint32, r *resourceInstance) *handle {
	h := s.resourceAt(index, r)
	if h.lends != 0 {
		trap("cannot remove owned resource while borrowed")
	}
	s.handles.remove(index)
	return h
}

func (s *instanceState) resourceNew(r *resourceInstance) builtin {
	return func(_ context.Context, stack []uint64) {
		s.checkLeaving()
		stack[0] = uint64(s.handles.add(&handle{resource: r, representation: uint32(stack[0]), own: true}))
	}
}

func (s *instanceState) resourceDrop(r *resourceInstance) builtin {
	return func(_ context.Context, stack []uint64) {
		s.checkLeaving()
		h := s.removeResource(uint32(stack[0]), r)
		if h.own {
			r.drop(s.host.ctx, s, h.representation)
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
		entered := r.owner.entered(caller)
		enter(entered)
		r.owner.runNested(func() error { return r.destructor.call(ctx, []uint64{uint64(representation)}) })
		leave(entered)
	}
}
