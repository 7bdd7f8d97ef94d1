package main

import (
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// statesText returns the states of a run: all of that before the first message, and of each other what the message before
// it has changed.
func (c *cli) statesText(r *controlv1.ReplayScheduleResponse) string {
	var all strings.Builder
	known := map[string]string{}
	for number, m := range r.GetMoments() {
		if number == 0 {
			all.WriteString("before the first message\n")
		} else {
			fmt.Fprintf(&all, "after %d  %s\n", number, oneLine(m.GetLine()))
		}
		if m.GetValue() != "" {
			fmt.Fprintf(&all, "  %s\n", oneLine(m.GetValue()))
		}
		for _, o := range m.GetObserved() {
			query := c.nameOf(o.GetCanisterId()) + " " + o.GetQuery()
			if before, found := known[query]; !found {
				fmt.Fprintf(&all, "  %s  %s\n", query, oneLine(o.GetValue()))
			} else if before != o.GetValue() {
				fmt.Fprintf(&all, "  %s  %s, before %s\n", query, oneLine(o.GetValue()), oneLine(before))
			}
			known[query] = o.GetValue()
		}
		for _, why := range m.GetBroken() {
			fmt.Fprintf(&all, "  %s\n", oneLine(why))
		}
	}
	if more := r.GetMoreMoments(); more > 0 {
		fmt.Fprintf(&all, "%d more messages\n", more)
	}
	return all.String()
}
