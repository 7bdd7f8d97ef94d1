package trace

import (
	"encoding/hex"
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
)

// title describes a call.
func (c *Call) title(names Names) string {
	method := printable(c.Method)
	if method == "" {
		method = "?"
	}
	method += printable(c.ArgText)
	switch c.Source {
	case intercanister.SourceTasks:
		if c.Task == intercanister.NoTask {
			return "task of " + names.of(c.Canister)
		}
		return c.Task.String() + " of " + names.of(c.Canister)
	case intercanister.SourceRequests:
		return fmt.Sprintf("call #%d to %s.%s", c.Number, names.of(c.Canister), method)
	}
	return fmt.Sprintf("ingress %s to %s.%s", hex.EncodeToString(c.Request[:4]), names.of(c.Canister), method)
}

// details returns further properties of a call.
func (c *Call) details() (all []string) {
	if c.Reentrant {
		all = append(all, "re-entrant")
	}
	if !c.Attached.IsZero() {
		all = append(all, c.Attached.Grouped()+" cycles attached")
	}
	if !c.Refunded.IsZero() {
		all = append(all, c.Refunded.Grouped()+" back")
	}
	if c.Deadline != 0 {
		all = append(all, "best effort")
	}
	return all
}

// answer describes how a call ended.
func (c *Call) answer() string {
	switch {
	case !c.Answered():
		return ""
	case c.Reject != nil:
		return "rejected " + rejected(c.Reject) + c.took()
	case c.ReplyText != "":
		return "replied " + printable(c.ReplyText) + c.took()
	}
	return fmt.Sprintf("replied %s", bytes(c.ReplyBytes)) + c.took()
}

// took returns the network's time from the arrival of a call to its answer, from a millisecond on: consecutive rounds
// are nanoseconds apart.
func (c *Call) took() string {
	if !c.Begun.Recorded() {
		return ""
	}
	passed := (c.Ended.Time - c.Begun.Time) / 1_000_000
	if passed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s.%03d s of network time)", grouped(passed/1000), passed%1000)
}

func bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return grouped(uint64(n)) + " bytes"
}

// title describes what ran.
func (x *Execution) title() string {
	if x.Unrecorded {
		return "not recorded"
	}
	title := x.Entry.String()
	if x.AnswersNumber != 0 {
		title = fmt.Sprintf("%s of #%d", x.Entry, x.AnswersNumber)
	}
	switch x.Folded {
	case 0:
		return title
	case 1:
		return title + " (with a message of its runtime)"
	}
	return fmt.Sprintf("%s (with %d messages of its runtime)", title, x.Folded)
}

func (n *Note) line() string {
	if n.Reject != nil {
		return printable(n.Text) + ": " + rejected(n.Reject)
	}
	return printable(n.Text)
}
