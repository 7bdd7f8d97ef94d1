package component

// taskState says how far a task is.
type taskState uint8

const (
	taskInitial taskState = iota
	taskStarted
	taskPendingCancel   // its cancellation was requested
	taskCancelDelivered // and it was told
	taskResolved        // it returned, or was cancelled
)

// taskStage says where the implicit thread of a task goes on.
type taskStage uint8

const (
	stageEnter    taskStage = iota
	stageStart              // it waited to start
	stageYield              // its callback yielded
	stageCallback           // its callback waits for an event
)

// task is a call of an exported function of an instance.
type task struct {
	thread  // the implicit one
	lifted  *lifted
	caller  *subtask
	borrows uint32 // handles that the call must drop before it returns
	threads uint32 // that run or wait
	number  uint32 // of the call in the instance
	state   taskState
	stage   taskStage
}

// newTask makes a task. A caller takes its results; core functions that are no component functions have none.
func (l *lifted) newTask(caller *subtask) *task {
	s := l.instance
	if s.host.tasks >= maxTasks {
		trap("the component has more than the limit of %d calls at a time", maxTasks)
	}
	s.host.tasks++
	if l != s.plain {
		s.calls++
	}
	t := l.spare
	if l.spare = nil; t == nil {
		t = &task{}
	}
	*t = task{lifted: l, caller: caller, number: s.calls}
	t.thread.task = t
	return t
}

// needsExclusive says whether no other such task of the instance may run core code at the same time.
func (t *task) needsExclusive() bool {
	return t.lifted.typ.async && (!t.lifted.options.async || t.lifted.callback != nil)
}

// startList is the index of the list of the instance in which the task waits to start.
func (t *task) startList() int {
	if t.needsExclusive() {
		return 0
	}
	return 1
}

func (t *task) underBackpressure() bool {
	s := t.lifted.instance
	return s.backpressure > 0 || t.needsExclusive() && s.exclusive != nil
}

// run runs the implicit thread from where it waited without a stack.
func (t *task) run() {
	h := t.lifted.instance.host
	switch t.stage {
	case stageEnter:
		t.letHolderGoOn()
		if t.lifted.typ.async && (t.underBackpressure() || t.lifted.instance.waitingToStart > 0) &&
			!h.continues(&t.thread, waitStart) {
			t.stage = stageStart
			h.beginWait(&t.thread, waitStart, true)
			return
		}
		t.start()
	case stageStart:
		if t.cancelled {
			t.cancel()
			h.tasks--
			h.wakeStart(t.lifted.instance) // it may have been the one that stands for the others in the list of ready threads
			return
		}
		t.start()
	default:
		t.exclude()
		t.loop(t.call(t.event()))
	}
}

// letHolderGoOn resumes the thread that has exclusive use of the instance, if a call would wait for it and it is ready
// ([WithTestRules]).
func (t *task) letHolderGoOn() {
	s := t.lifted.instance
	if holder := s.exclusive; s.host.testRules && t.needsExclusive() && holder != nil && holder.ready() {
		s.host.endWait(holder)
		s.host.resume(holder, false)
	}
}

// start calls the core function, once the task may enter the instance.
func (t *task) start() {
	l := t.lifted
	s := l.instance
	if t.needsExclusive() {
		t.exclude()
	}
	s.host.wakeStart(s)
	s.register(&t.thread)
	a := t.abi()
	t.state = taskStarted
	args := a.lowerAll(l.typ.params, t.caller.start(), l.flat.paramsSpill)
	stack := make([]uint64, max(len(args), len(l.flat.core.results)))
	copy(stack, args)
	rethrow(l.core.call(s.host.ctx, stack))
	switch {
	case !l.options.async:
		t.finish(a.liftResult(l.typ, stack, l.flat.resultsSpill))
		if l.options.postReturn != nil {
			s.leaving = false
			rethrow(l.options.postReturn.call(s.host.ctx, stack))
			s.leaving = true
		}
		t.exit()
	case l.callback == nil:
		t.exit()
	default:
		t.loop(uint32(stack[0]))
	}
}

// loop follows the codes that core code returns, until it waits for an event of its callback or exits.
func (t *task) loop(code uint32) {
	const exit, yield, wait = 0, 1, 2
	h := t.lifted.instance.host
	for {
		kind := waitYield
		t.stage = stageYield
		switch code & 0xf {
		case exit:
			t.exit()
			return
		case yield:
		case wait:
			kind, t.stage = waitCallback, stageCallback
			t.set = tableItem[*waitableSet](t.lifted.instance, code>>4)
		default:
			trap("unsupported callback code: %d", code&0xf)
		}
		h.include(t.lifted.instance)
		t.cancelled = t.deliverCancel(true)
		if !t.cancelled && !h.continues(&t.thread, kind) {
			h.beginWait(&t.thread, kind, true)
			return
		}
		t.exclude()
		code = t.call(t.event())
	}
}

// event takes the event that a callback gets.
func (t *task) event() event {
	switch {
	case t.cancelled:
		return event{code: eventTaskCancelled}
	case t.stage == stageCallback:
		return t.set.take(t.lifted.instance.host)
	}
	return event{}
}

// call calls the callback with an event.
func (t *task) call(e event) (code uint32) {
	stack := []uint64{uint64(e.code), uint64(e.index), uint64(e.payload)}
	rethrow(t.lifted.callback.call(t.lifted.instance.host.ctx, stack))
	return uint32(stack[0])
}

// runNested runs core code of an instance on a thread of its own, which returns before the caller goes on: a start function or
// a destructor.
func (s *instanceState) runNested(run func() error) {
	h := s.host
	around := h.current
	t := s.plain.newTask(nil)
	t.state = taskStarted
	t.wait = waitRunning
	s.register(&t.thread)
	h.current = &t.thread
	rethrow(run())
	h.current = around
	t.state = taskResolved
	s.unregister(&t.thread)
}

// exit ends the implicit thread.
func (t *task) exit() {
	s := t.lifted.instance
	s.unregister(&t.thread)
	if t.needsExclusive() {
		s.host.include(s)
	}
}

// register counts a thread of a task, and gives it an index where core code can ask for it.
func (s *instanceState) register(th *thread) {
	th.task.threads++
	if s.threaded {
		th.index = s.threads.add(th)
	}
}

// unregister ends a thread. With the last one, the task must be resolved.
func (s *instanceState) unregister(th *thread) {
	th.task.threads--
	if th.task.threads == 0 {
		if th.task.state != taskResolved {
			trap("async-lifted export failed to produce a result")
		}
		s.host.tasks--
	}
	if s.threaded {
		s.threads.remove(th.index)
	}
}

// finish resolves a task with its result.
func (t *task) finish(result any) {
	t.checkResolving()
	t.caller.resolve(result)
	t.state = taskResolved
}

// cancel resolves a task that was told to end without a result.
func (t *task) cancel() {
	if t.state != taskCancelDelivered {
		trap("`task.cancel` called by task which has not been cancelled")
	}
	t.checkResolving()
	t.caller.resolveCancelled()
	t.state = taskResolved
}

func (t *task) checkResolving() {
	if t.state == taskResolved {
		trap("`task.return` or `task.cancel` called more than once for current task")
	}
	if t.borrows > 0 {
		trap("borrow handles still remain at the end of the call")
	}
}

// requestCancel asks a task to end. A thread that may be told is resumed at once.
func (t *task) requestCancel(entered []*instanceState) {
	h := t.lifted.instance.host
	if t.state == taskInitial {
		t.state = taskCancelDelivered
		h.endWait(&t.thread)
		h.resume(&t.thread, true)
		return
	}
	candidates := t.cancellableThreads()
	if len(candidates) == 0 || !mayEnter(entered) {
		t.state = taskPendingCancel
		return
	}
	t.state = taskCancelDelivered
	th := candidates[h.choose(ChooseCancelled, len(candidates), func(i int) Option { return candidates[i].option() })]
	enter(entered)
	if th.wait != waitNothing {
		h.endWait(th)
	}
	h.resume(th, true)
	leave(entered)
}

// cancellableThreads gives the threads that may be told of a cancellation.
func (t *task) cancellableThreads() []*thread {
	s := t.lifted.instance
	var all []*thread
	exclusive := s.exclusive
	if t.cancellable && (!t.needsExclusive() || exclusive == nil || exclusive == &t.thread) {
		all = append(all, &t.thread)
	}
	for _, th := range s.threads.items {
		if th != nil && th.task == t && th != &t.thread && th.cancellable {
			all = append(all, th)
		}
	}
	return all
}

// deliverCancel tells a task that its cancellation was requested, where it can be told.
func (t *task) deliverCancel(cancellable bool) bool {
	if cancellable && t.state == taskPendingCancel {
		t.state = taskCancelDelivered
		return true
	}
	return false
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

func mayEnter(all []*instanceState) bool {
	for _, i := range all {
		if i.running {
			return false
		}
	}
	return true
}

// enter marks the instances that a call enters.
func enter(all []*instanceState) {
	if !mayEnter(all) {
		trap("cannot enter component instance")
	}
	for _, i := range all {
		i.running = true
	}
}

// leave ends what enter marked: the call returned or is blocked.
func leave(all []*instanceState) {
	for _, i := range all {
		i.running = false
	}
}
