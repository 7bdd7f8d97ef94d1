package component

import "iter"

// stack is a coroutine: the stack of a thread that may block while core code runs on it. At most one goroutine of a tree of
// instances runs at a time. A stack is parked until it is resumed, and is used again by other threads once its thread ended
// or needs none.
type stack struct {
	thread *thread // that uses it
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	fault  error
}

// takeStack gives a stack for a thread.
func (h *host) takeStack(th *thread) *stack {
	var s *stack
	if n := len(h.idle); n > 0 {
		s, h.idle = h.idle[n-1], h.idle[:n-1]
	} else {
		if len(h.stacks) >= maxStacks {
			trap("more than the limit of %d threads are blocked in core code", maxStacks)
		}
		h.memory.charge(coroutineBytes, "the stack of a thread that is blocked")
		s = &stack{}
		s.next, s.stop = iter.Pull(s.run)
		h.stacks = append(h.stacks, s)
	}
	s.thread = th
	return s
}

// run is the function of the coroutine.
func (s *stack) run(yield func(struct{}) bool) {
	s.yield = yield
	for {
		s.fault = s.runThread()
		s.thread = nil
		if !yield(struct{}{}) {
			return
		}
	}
}

func (s *stack) runThread() (err error) {
	defer trapped(&err)
	s.thread.run()
	return nil
}

// resume runs the thread until it blocks or ends.
func (s *stack) resume() {
	s.next()
	if s.fault != nil {
		panic(s.fault)
	}
}

// park ends the resume that runs the thread, until the next one.
func (s *stack) park() {
	if !s.yield(struct{}{}) {
		trap("the instance was closed")
	}
}

// endThreads ends all coroutines, whose threads unwind, and the contexts of calls of the host.
func (h *host) endThreads() {
	h.dead = true
	h.end()
	for _, s := range h.stacks {
		s.stop()
	}
	h.stacks, h.idle = nil, nil
}
