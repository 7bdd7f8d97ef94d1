package component

import "fmt"

// ChoiceKind is a source of nondeterminism that the specification lists (Concurrency.md, "Nondeterminism").
type ChoiceKind uint8

const (
	// ChooseEvent: several waitables of a set have an event. The options are in the order in which they joined the set.
	ChooseEvent ChoiceKind = iota + 1
	// ChooseWait: a thread waits for an event that is there already. It continues (0) or blocks (1).
	ChooseWait
	// ChooseYield: a thread yields, or a call could start while others wait to. It blocks (0) or continues (1).
	ChooseYield
	// ChooseThread: several threads can be resumed, or calls can start. The options are in the order in which they became
	// ready; behind them are those that wait for the same events, or to start in the same instance, in the order in which
	// they began to wait.
	ChooseThread
	// ChooseCancelled: several threads of a task can receive its cancellation. The options are in the order of their indices,
	// the implicit thread first.
	ChooseCancelled
)

var choiceNames = map[ChoiceKind]string{
	ChooseEvent: "event", ChooseWait: "wait", ChooseYield: "yield", ChooseThread: "thread", ChooseCancelled: "cancellation",
}

func (k ChoiceKind) String() string { return choiceNames[k] }

// A Scheduler makes all choices that the specification leaves to a host. Without one, the first option is taken, as
// the deterministic profile of WebAssembly asks for. A run is a function of its inputs and of the choices.
type Scheduler interface {
	// Choose gives the index of an option. There are at least two.
	Choose(kind ChoiceKind, options []Option) int
}

// Option says what an option of a choice is about. Its numbers are the same in each run with the same inputs and choices.
type Option struct {
	Instance int    // the number of the component instance, in the order in which instances were made
	Task     uint32 // the number of the call in the instance, from 1; 0 if the option is not about a thread
	Thread   uint32 // the index of a thread that core code made; 0 if it is the one that the call began with
	Handle   uint32 // of ChooseEvent: the waitable's index in the handle table
}

// String names what the option is about.
func (o Option) String() string {
	text := fmt.Sprintf("call %d of instance %d", o.Task, o.Instance)
	if o.Thread != 0 {
		text = fmt.Sprintf("thread %d of %s", o.Thread, text)
	}
	if o.Handle != 0 {
		text = fmt.Sprintf("handle %d for %s", o.Handle, text)
	}
	return text
}

// WithScheduler makes a scheduler choose where the specification lets a host choose.
func WithScheduler(s Scheduler) InstanceOption { return func(h *host) { h.scheduler = s } }

// WithTestRules makes an instance follow the reference tests of [SpecificationCommit] where they contradict the definitions
// of that commit: calls between an instance and one in it trap (async/trap-on-reenter.wast), and a call that would wait for
// a thread with exclusive use of the instance first lets that thread go on if it is ready (async/sync-streams.wast).
func WithTestRules() InstanceOption { return func(h *host) { h.testRules = true } }

// choose makes a choice between n options, which describe is only called for if there is a scheduler.
func (h *host) choose(kind ChoiceKind, n int, describe func(i int) Option) int {
	if h.scheduler == nil || n < 2 {
		return 0
	}
	options := make([]Option, n)
	for i := range options {
		options[i] = describe(i)
	}
	choice := h.scheduler.Choose(kind, options)
	if choice < 0 || choice >= n {
		trap("the scheduler chose option %d of %d", choice, n)
	}
	return choice
}

// continues says whether a thread that is about to wait goes on instead.
func (h *host) continues(th *thread, kind waitKind) bool {
	th.wait = kind
	ready := th.ready()
	th.wait = waitRunning
	if !ready {
		return false
	}
	self := func(int) Option { return th.option() }
	if kind == waitCallback || kind == waitSet {
		return h.choose(ChooseWait, 2, self) == 0
	}
	return h.choose(ChooseYield, 2, self) == 1
}

// option describes a thread.
func (th *thread) option() Option {
	o := Option{Instance: th.instance().number, Task: th.task.number}
	if !th.implicit() {
		o.Thread = th.index
	}
	return o
}
