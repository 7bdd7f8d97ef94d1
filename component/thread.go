package component

import "slices"

// waitKind says what a thread waits for.
type waitKind uint8

const (
	waitNothing  waitKind = iota // it is suspended until a thread resumes it
	waitRunning                  // it runs, or is on the stack of one that runs
	waitTurn                     // its turn: it yielded, or what it waited for happened
	waitSignal                   // an event of a waitable, or the end of a subtask, which signal it
	waitStart                    // the end of backpressure
	waitYield                    // its turn, and that no thread has exclusive use of the instance
	waitCallback                 // an event of a set, and the same
	waitSet                      // an event of a set, in core code
)

// listKind says which list a thread is in.
type listKind uint8

const (
	listNone     listKind = iota
	listReady             // of the host
	listStarting          // of the instance: it waits to start
	listExcluded          // of the instance: it needs exclusive use
	listWaiters           // of its set
)

// thread is a thread of an instance: the implicit one of a task, or one that core code made. While it waits between calls
// of core code it is a record without a stack.
type thread struct {
	task        *task
	stack       *stack       // of core code that is blocked or runs; nil if it needs none
	next, prev  *thread      // in its list
	set         *waitableSet // of waitCallback and waitSet
	storage     [contextSlots]uint64
	index       uint32 // in the table of threads
	wait        waitKind
	list        listKind
	cancellable bool // it may be resumed by the cancellation of its task
	cancelled   bool // it was
}

func (th *thread) instance() *instanceState { return th.task.lifted.instance }

// implicit says whether it is the thread that the task began with.
func (th *thread) implicit() bool { return th == &th.task.thread }

// nested says whether it runs on the stack of its caller, which goes on when the thread has returned: it is the implicit
// thread of a synchronous function.
func (th *thread) nested() bool { return th.implicit() && !th.task.lifted.typ.async }

// threadList is a list of threads in their order.
type threadList struct{ first, last *thread }

// insert puts a thread behind another one of the list, or first.
func (l *threadList) insert(th, behind *thread) {
	next := l.first
	if behind != nil {
		next = behind.next
		behind.next = th
	} else {
		l.first = th
	}
	if next != nil {
		next.prev = th
	} else {
		l.last = th
	}
	th.prev, th.next = behind, next
}

func (l *threadList) remove(th *thread) {
	if th.prev == nil {
		l.first = th.next
	} else {
		th.prev.next = th.next
	}
	if th.next == nil {
		l.last = th.prev
	} else {
		th.next.prev = th.prev
	}
	th.prev, th.next = nil, nil
}

// listed gives the list that a thread is in.
func (h *host) listed(th *thread) *threadList {
	switch th.list {
	case listReady:
		return &h.ready
	case listStarting:
		return &th.instance().starting[th.task.startList()]
	case listExcluded:
		return &th.instance().excluded
	case listWaiters:
		return &th.set.waiters
	}
	return nil
}

// unlist takes a thread out of its list.
func (h *host) unlist(th *thread) {
	if l := h.listed(th); l != nil {
		l.remove(th)
		th.list = listNone
	}
}

// enlist puts a thread into a list; first if it was the first there before.
func (h *host) enlist(th *thread, list listKind, first bool) {
	h.unlist(th)
	th.list = list
	switch l := h.listed(th); {
	case l == nil:
	case first:
		l.insert(th, nil)
	default:
		l.insert(th, l.last)
	}
}

// ready says whether a thread that waits can be resumed.
func (th *thread) ready() bool {
	switch th.wait {
	case waitTurn:
		return true
	case waitStart:
		return !th.task.underBackpressure()
	case waitYield:
		return th.instance().exclusive == nil
	case waitCallback:
		return th.instance().exclusive == nil && len(th.set.pending) > 0
	case waitSet:
		return len(th.set.pending) > 0
	}
	return false
}

// home is the list where a thread waits until it may be ready.
func (th *thread) home() listKind {
	switch {
	case th.wait == waitStart:
		return listStarting
	case th.wait == waitYield, th.wait == waitCallback && len(th.set.pending) > 0:
		return listExcluded
	case th.wait == waitSignal:
		return listNone
	}
	return listWaiters
}

// beginWait makes a thread wait. It may be ready at once.
func (h *host) beginWait(th *thread, kind waitKind, cancellable bool) {
	th.wait, th.cancellable = kind, cancellable
	switch kind {
	case waitStart:
		th.instance().waitingToStart++
	case waitCallback, waitSet:
		th.set.waiting++
	}
	if th.ready() {
		h.enlist(th, listReady, false)
	} else {
		h.enlist(th, th.home(), false)
	}
}

// endWait ends what a thread waits for: it is about to be resumed.
func (h *host) endWait(th *thread) {
	kind := th.wait
	h.unlist(th)
	th.wait = waitNothing
	switch kind {
	case waitStart:
		th.instance().waitingToStart--
	case waitCallback, waitSet:
		th.set.waiting--
		h.wakeWaiter(th.set) // it may have been the one that stands for the others in the list of ready threads
	}
}

// signal puts a thread into the list of ready threads. It is checked again before it is resumed.
func (h *host) signal(th *thread) {
	if th.wait == waitSignal {
		th.wait = waitTurn
	}
	if th.list != listReady {
		h.enlist(th, listReady, false)
	}
}

// wakeWaiter signals the first thread that waits for the events of a set, if it has one. It stands for all of them.
func (h *host) wakeWaiter(w *waitableSet) {
	if len(w.pending) > 0 && w.waiters.first != nil {
		h.signal(w.waiters.first)
	}
}

// wakeStart signals the first call of an instance that waits to start, if it may. It stands for all of them.
func (h *host) wakeStart(s *instanceState) {
	for i := range s.starting {
		if first := s.starting[i].first; first != nil && first.ready() {
			h.signal(first)
		}
	}
}

// exclude gives a thread exclusive use of its instance.
func (th *thread) exclude() { th.instance().exclusive = th }

// include ends the exclusive use of an instance.
func (h *host) include(s *instanceState) {
	s.exclusive = nil
	for s.excluded.first != nil {
		h.signal(s.excluded.first)
	}
	h.wakeStart(s)
}

// pick takes the thread that is resumed next out of the ready ones. If only is set, it is one that its function may resume
// while it is blocked. The result is nil if there is none.
func (h *host) pick(only *thread) *thread {
	var ready, early []*thread
	for th := h.ready.first; th != nil; {
		next := th.next
		switch {
		case !th.ready():
			early = append(early, th)
			next = h.skip(th)
		case only == nil || only.mayResume(th):
			ready = append(ready, th)
		}
		if len(ready) > 0 && h.scheduler == nil {
			break
		}
		th = next
	}
	for _, th := range slices.Backward(early) {
		h.enlist(th, th.home(), true)
	}
	if len(ready) == 0 {
		return nil
	}
	if h.scheduler != nil {
		ready = represented(ready, only)
	}
	th := ready[h.choose(ChooseThread, len(ready), func(i int) Option { return ready[i].option() })]
	h.endWait(th)
	return th
}

// skip takes a thread out of the list of ready ones that cannot be resumed any more, and gives the thread behind it. If it
// needs exclusive use of its instance to get an event, another one may get the event.
func (h *host) skip(th *thread) (behind *thread) {
	before := th.prev
	h.unlist(th)
	if th.wait == waitCallback && th.home() == listExcluded {
		h.wakeWaiter(th.set)
	}
	if before == nil {
		return h.ready.first
	}
	return before.next
}

// represented adds those that threads of the list of ready ones stand for.
func represented(ready []*thread, only *thread) []*thread {
	seen := map[*threadList]bool{}
	add := func(l *threadList) {
		if seen[l] {
			return
		}
		seen[l] = true
		for th := l.first; th != nil; th = th.next {
			if th.ready() && (only == nil || only.mayResume(th)) {
				ready = append(ready, th)
			}
		}
	}
	for _, th := range ready {
		switch th.wait {
		case waitStart:
			for i := range th.instance().starting {
				add(&th.instance().starting[i])
			}
		case waitCallback, waitSet:
			add(&th.set.waiters)
		}
	}
	return ready
}

// mayResume says whether a synchronous function that is blocked may resume a thread: one of its own instance that does not
// need exclusive use of it. The specification's tests (async/during-sync-call-*) exclude more than its definitions, which
// let threads go on that could take the exclusive use.
func (th *thread) mayResume(other *thread) bool {
	return other.instance() == th.instance() && other.wait != waitStart &&
		(other == th || !other.implicit() || !other.task.needsExclusive())
}

// resume runs a thread until it blocks or ends, then the one that it switched to, if any.
func (h *host) resume(th *thread, cancelled bool) {
	around := h.current
	for th != nil {
		h.runThread(th, cancelled)
		th, h.switchTo, cancelled = h.switchTo, nil, false
	}
	h.current = around
}

func (h *host) runThread(th *thread, cancelled bool) {
	h.current, th.wait, th.cancelled, th.cancellable = th, waitRunning, cancelled, false
	if th.stack == nil && th.task.lifted.blocks && !th.nested() {
		th.stack = h.takeStack(th)
	}
	s := th.stack
	if s == nil {
		th.run()
		return
	}
	s.resume()
	if s.thread == nil {
		th.stack = nil
		h.idle = append(h.idle, s)
	}
}

// run runs a thread that has no stack until it waits without one, or ends.
func (th *thread) run() {
	if th.implicit() {
		th.task.run()
		return
	}
	h := th.instance().host
	start := h.starts[th]
	delete(h.starts, th)
	start()
}

// block ends the run of the current thread, and runs the given one next, if any. It returns when the thread is resumed.
func (h *host) block(cancellable bool, to *thread) (cancelled bool) {
	th := h.current
	th.cancellable = cancellable
	if th.wait == waitRunning {
		th.wait = waitNothing
	}
	if th.nested() {
		h.runOthers(th, to)
	} else {
		h.switchTo = to
		th.stack.park()
	}
	h.current, th.wait = th, waitRunning
	return th.cancelled
}

// runOthers runs other threads of the instance until the nested thread that is blocked can go on.
func (h *host) runOthers(th, to *thread) {
	for {
		if to == nil {
			to = h.pick(th)
		}
		switch {
		case to == nil && h.ready.first == nil:
			trap("cannot block a synchronous task before returning")
		case to == nil:
			trap("deadlock detected: event loop cannot make further progress")
		case to == th:
			return
		}
		h.runThread(to, false)
		to, h.switchTo = h.switchTo, nil
	}
}

// wait makes the current thread wait in core code. It is cancelled if its task is, and it may be.
func (h *host) wait(kind waitKind, cancellable bool) (cancelled bool) {
	th := h.current
	if th.task.deliverCancel(cancellable) {
		return true
	}
	if h.continues(th, kind) {
		return false
	}
	h.beginWait(th, kind, cancellable)
	return h.block(cancellable, nil)
}
