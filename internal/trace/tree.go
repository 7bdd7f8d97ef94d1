package trace

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

// Tree is an ingress message, a task or a call with everything that followed from it, as far as it is recorded.
type Tree struct {
	Root *Call // nil if nothing is recorded
	// Complete is set if nothing is missing and nothing is pending: no Call has anything in Missing.
	Complete bool
}

// Point is when something happened: the round, and the position among the tree's events.
type Point struct {
	replica.Moment
	Order int // from 1; 0: it has not happened, or is not recorded
}

// Recorded reports whether it is known to have happened.
func (p Point) Recorded() bool { return p.Order != 0 }

// compare orders points; points that have not happened come last.
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
	Caller    principal.Principal // of a request; of an ingress message, if it is known
	Canister  principal.Principal // that is called
	Subnet    principal.Principal // of the canister, if something of it is recorded
	Method    string
	Request   replica.RequestID
	Number    intercanister.CallID    // of a request, its caller's
	Context   intercanister.ContextID // 0: none was opened
	Reentrant bool
	Attached  cycles.Amount
	Refunded  cycles.Amount
	Deadline  uint64 // ns; 0: its response is guaranteed
	ArgBytes  int
	Arg       []byte // nil if it was too large to be kept

	Begun      Point // made or received; the time of a received message is that of the first round after it
	Ended      Point // answered
	Reject     *intercanister.Reject
	ReplyBytes int
	Reply      []byte // as Arg

	// ArgText and ReplyText are Arg and Reply in readable form (see Describe); "" if they are not known.
	ArgText, ReplyText string

	Executions []*Execution // in order
	Notes      []Note       // in order
	Missing    []string     // what is not recorded, or has not happened
}

// Answered reports whether the answer is recorded. Tasks have none.
func (c *Call) Answered() bool { return c.Ended.Recorded() }

// Execution is one message that ran: the method of its call, a task, or the callback of a
// call that it made earlier.
type Execution struct {
	Entry         canister.Context
	Answers       *Call // callback: the call that was answered; nil if that is not recorded
	AnswersNumber intercanister.CallID
	Begun         replica.Moment
	Ended         Point // not recorded if it is paused
	Parked        Point
	WaitsUntil    uint64 // ns, if it was parked for a time; 0: for its turn
	Instructions  uint64
	Cycles        cycles.Amount
	DirtyPages    int
	Heap, Stable  uint64 // bytes
	Wall          int64  // ns
	Trap          *intercanister.Reject
	Backtrace     []replica.Frame // the functions of a trap, innermost first
	CleanupRan    bool
	Logs          []Note
	Calls         []*Call
	Unrecorded    bool // only its calls are known
	Folded        int  // messages of compilers' methods in it (Tree.Fold)
}

// Note is an event of a call in transit, or a line of a log.
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
