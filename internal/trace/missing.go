package trace

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
)

// unrecorded describes a tree without a root.
const unrecorded = "nothing of it is recorded"

// Tree returns the tree of the events so far.
func (b *Builder) Tree() *Tree {
	t := &Tree{Root: b.root}
	t.Complete = b.root != nil && complete(b.root)
	return t
}

// complete lists what is missing of a call and the calls under it.
func complete(c *Call) bool {
	c.Missing = c.missing()
	all := len(c.Missing) == 0
	for _, x := range c.Executions {
		for _, made := range x.Calls {
			all = complete(made) && all
		}
	}
	return all
}

func (c *Call) missing() (what []string) {
	if !c.Begun.Recorded() {
		what = append(what, "its beginning is not recorded")
	}
	ran := len(c.Executions) > 0
	switch {
	case ran && (c.Executions[0].Unrecorded || c.Executions[0].AnswersNumber != 0):
		what = append(what, "what it ran first is not recorded")
	case !ran && c.Answered() && c.Reject == nil && isCalleeRecorded(c) && len(c.Notes) == 0:
		what = append(what, "what it ran is not recorded")
	}
	for _, x := range c.Executions {
		switch {
		case !x.Parked.Recorded() || x.Ended.Recorded():
		case x.WaitsUntil != 0:
			what = append(what, "a message "+x.waits())
		default:
			what = append(what, "a message is paused in the middle of its code")
		}
	}
	if c.Source != intercanister.SourceTasks && !c.Answered() {
		what = append(what, "no answer yet")
	}
	return what
}

// isCalleeRecorded reports whether events show what the callee does: it is not a management canister.
func isCalleeRecorded(c *Call) bool {
	_, ok := c.Canister.CanisterNumber()
	return ok && c.Source == intercanister.SourceRequests
}

// waits returns how long the message waits.
func (x *Execution) waits() string {
	return fmt.Sprintf("waits for %d ms", (x.WaitsUntil-x.Parked.Time)/1_000_000)
}
