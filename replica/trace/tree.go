package trace

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

// Tree is an ingress message, a task or a call with all that followed from it, as far as
// it is recorded.
type Tree struct {
	Root *Call // nil where nothing is recorded
	// Complete is set where nothing is missing and nothing under way: no Call has anything
	// in Missing.
	Complete bool
}

// Point is when something happened: the round, and the place among the tree's events.
type Point struct {
	replica.Moment
	Order int // from 1; 0: it did not happen yet, or is not recorded
}

// Recorded reports whether it happened, as far as is known.
func (p Point) Recorded() bool { return p.Order != 0 }

// compare orders points; points that did not happen yet come last.
func (p Point) compare(q Point) int {
	switch {
	case p.Recorded() == q.Recorded():
		return p.Order - q.Order
	case p.Recorded():
		return -1
	}
	return 1
}

// Call is one call and what followed from it.
type Call struct {
	Source    intercanister.Source // ingress, request or task
	Task      intercanister.Task
	Caller    principal.Principal // of a request; of an ingress message, where it is known
	Canister  principal.Principal // that is called
	Subnet    principal.Principal // of the canister, where something of it is recorded
	Method    string
	Request   replica.RequestID
	Number    intercanister.CallID    // of a request, its caller's
	Context   intercanister.ContextID // 0: none was opened
	Reentrant bool
	Attached  cycles.Amount
	Refunded  cycles.Amount
	Deadline  uint64 // ns; 0: its response is guaranteed
	ArgBytes  int
	Arg       []byte // nil where it was too large to be remembered

	Begun      Point // made or received
	Ended      Point // answered
	Reject     *intercanister.Reject
	ReplyBytes int
	Reply      []byte // as Arg

	// ArgText and ReplyText are what people read of Arg and Reply (see Describe); "" where they
	// are not known.
	ArgText, ReplyText string

	Executions []*Execution // in order
	Notes      []Note       // in order
	Missing    []string     // what is not recorded, or did not happen yet
}

// Answered reports whether the answer is recorded. Tasks have none.
func (c *Call) Answered() bool { return c.Ended.Recorded() }

// Execution is one message that ran: the method of its call, a task, or the callback of a
// call that it made earlier.
type Execution struct {
	Entry         canister.Context
	Answers       *Call // callback: whose answer it is; nil where that is not recorded
	AnswersNumber intercanister.CallID
	Begun         replica.Moment
	Ended         Point // not recorded where it is paused in the middle
	Parked        Point
	WaitsUntil    uint64 // ns, where it was parked for a time; 0: for its turn
	Instructions  uint64
	Cycles        cycles.Amount
	DirtyPages    int
	Heap, Stable  uint64 // bytes
	Wall          int64  // ns
	Trap          *intercanister.Reject
	Backtrace     string
	CleanupRan    bool
	Logs          []Note
	Calls         []*Call
	Unrecorded    bool // nothing but its calls is known
}

// Note is something that happened to a call on its way, or a line of a log.
type Note struct {
	At     Point
	Text   string
	Reject *intercanister.Reject
}

// Describe sets the texts of the arguments and replies of all calls.
func (t *Tree) Describe(texts func(c *Call) (arg, reply string)) {
	if t.Root != nil {
		t.Root.describeAll(texts)
	}
}

func (c *Call) describeAll(texts func(c *Call) (arg, reply string)) {
	if c.Source != intercanister.SourceTasks {
		c.ArgText, c.ReplyText = texts(c)
	}
	for _, x := range c.Executions {
		for _, made := range x.Calls {
			made.describeAll(texts)
		}
	}
}
