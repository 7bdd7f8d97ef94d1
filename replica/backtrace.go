package replica

import (
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// Frame is a line of a backtrace across canisters: a function on the stack of a message whose code failed or, below
// that, a call context that the message answers to.
type Frame struct {
	Canister principal.Principal
	Function string                  // of the module; of a context, the method that was called
	Line     canister.SourceLine     // of a function, where it was; zero without debug information
	Module   [32]byte                // hash of the module as uploaded; zero for none
	Context  intercanister.ContextID // on the canister's subnet; 0 in a query and where code is installed
}

// String returns the function, and where it was if that is known: "bank::pay (src/pay.rs:12)".
func (f *Frame) String() string {
	if f.Line == (canister.SourceLine{}) {
		return f.Function
	}
	return f.Function + " (" + f.Line.String() + ")"
}

// trap is a message of a call tree whose code failed.
type trap struct {
	request RequestID // that the tree answers; zero in a query
	text    string    // the first line of its reject
	own     []Frame   // innermost first; empty if no function has a name
	callers []Frame   // the contexts that it answers to, its own first
}

// traps are the newest messages whose code failed, at most MaxTraps. Only the owner of the network sees them: they do
// not affect execution, and forks and files do not contain them.
type traps struct{ all intercanister.FIFO[trap] }

func (t *traps) add(one trap) {
	if t.all.Len() == MaxTraps {
		t.all.Pop()
	}
	t.all.Push(one)
}

// backtrace returns the origin of a reject that a call tree was answered with: the deepest of the messages whose
// failure the text passes on, then the contexts between it and the user. Contexts that failed themselves have their
// functions.
func (t *traps) backtrace(request RequestID, text string) (frames []Frame) {
	var passed []*trap
	deepest := -1
	for i := range t.all.Len() {
		one := t.all.At(i)
		if one.request != request || !strings.Contains(text, one.text) {
			continue
		}
		if passed = append(passed, one); deepest < 0 || len(one.callers) >= len(passed[deepest].callers) {
			deepest = len(passed) - 1
		}
	}
	if deepest < 0 {
		return nil
	}
	callers := passed[deepest].callers
	frames = append(frames, passed[deepest].own...)
	for i, c := range callers {
		for j := len(passed) - 1; j >= 0 && i > 0; j-- {
			if other := passed[j]; len(other.callers) == len(callers)-i && other.callers[0] == c {
				frames = append(frames, other.own...)
				break
			}
		}
		frames = append(frames, c)
	}
	return frames
}

// functionsOf returns the functions of the backtrace of a canister, and where they were, if that is known.
func functionsOf(backtrace string, lines []canister.SourceLine) (all []Frame) {
	if backtrace == "" {
		return nil
	}
	for function := range strings.SplitSeq(backtrace, "\n") {
		f := Frame{Function: function}
		if len(lines) > 0 {
			f.Line, lines = lines[0], lines[1:]
		}
		all = append(all, f)
	}
	return all
}

// Functions returns the functions of the backtrace of a [Trapped] event, innermost first, without their canister.
func (e *Event) Functions() []Frame {
	if e.Kind != Trapped {
		return nil
	}
	return functionsOf(e.Text, e.Lines)
}

// trapOf returns a trap for a failed message of a canister, with the contexts that it answers to.
func trapOf(out *canister.Outcome, of principal.Principal, module [32]byte, callers []Frame) trap {
	one := trap{callers: callers}
	one.text, _, _ = strings.Cut(out.Failure.Text, "\n")
	var context intercanister.ContextID
	if len(callers) > 0 && callers[0].Canister == of {
		context = callers[0].Context
	}
	for _, f := range functionsOf(out.Backtrace, out.Lines) {
		one.own = append(one.own, Frame{of, f.Function, f.Line, module, context})
	}
	return one
}

// recordTrap records a failed message, if it belongs to a user's message.
func (s *subnet) recordTrap(j *Job) {
	if !j.runs() || j.outcome.Failure == nil {
		return
	}
	var callers []Caller
	var request RequestID
	module := hashOf(j.Entry.Canister.Module())
	if j.Install == nil {
		if callers = s.callers(j.Context); len(callers) > 0 {
			request = callers[len(callers)-1].Request
		}
	} else {
		if module = hashOf(j.Install.In.Module); j.Install.In.Mode == canister.Upgrade {
			module = [32]byte{} // it may have been the module before the installation
		}
		callers, request = s.askedBy(&j.Install.Call.Origin)
	}
	s.markTrap(j, request)
	if request == (RequestID{}) {
		return
	}
	frames := make([]Frame, len(callers))
	for i, c := range callers {
		frames[i] = Frame{Canister: c.Canister, Function: c.Method, Module: c.Module, Context: c.Context}
	}
	one := trapOf(&j.outcome, j.Entry.ID(), module, frames)
	one.request = request
	s.net.traps.add(one)
}

// markTrap marks a message that failed in the journal.
func (s *subnet) markTrap(j *Job, request RequestID) {
	if s.net.journal == nil {
		return
	}
	failure, e := j.outcome.Failure, describe(&s.State, j)
	if e.Method == "" {
		e.Method = e.Task.String()
	}
	s.net.journal.markTrap(&TrapMark{Canister: j.Entry.ID(), Method: e.Method, Request: request, Code: failure.Error, Text: failure.Text})
}

// askedBy returns the user's message that a call of the management canister answers, and the contexts between them; the
// zero request if there is none.
func (s *subnet) askedBy(o *intercanister.Origin) (callers []Caller, request RequestID) {
	switch o.Kind {
	case intercanister.FromIngress:
		return nil, s.History.At(o.Ingress).ID
	case intercanister.FromCanister:
		position := s.net.routes.find(o.Caller)
		if position < 0 {
			return nil, request
		}
		at := s.net.subnets[position]
		if f := at.Calls.Future(o.Call); f != nil && f.Owner == o.Caller {
			callers = at.callers(f.Context)
		}
	}
	if len(callers) == 0 {
		return nil, request
	}
	return callers, callers[len(callers)-1].Request
}

func hashOf(m *canister.Module) (hash [32]byte) {
	if m == nil {
		return hash
	}
	return m.Hash()
}
