package campaigntest

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// Text is all that a report says, with each finding explained and drawn.
func Text(c *campaign.Config, r *campaign.Report) string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d runs, %d messages, %d classes, exhausted %t %t\n",
		r.Runs, r.Messages, r.Classes, r.Exhausted, r.ExhaustedFaults)
	for _, f := range r.Findings {
		fmt.Fprintf(&all, "%s, run %d, %s, %d others, suspicion %t\n", f.Property, f.Run, f.Phase, f.Others, f.Suspicion)
		all.WriteString(f.Explain(&c.Setup) + f.Mermaid(&c.Setup))
	}
	for _, a := range r.Awaits {
		fmt.Fprintf(&all, "%s > %s %d %v\n", a.Caller, a.Callee, a.Runs, a.Tried)
	}
	fmt.Fprintln(&all, r.Operations)
	return all.String()
}
